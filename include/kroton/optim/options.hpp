// This header has the ranges of the options of optimisers, schedules and bounds of gradients. A number that is outside
// its range is a mistake, which is said where the function is compiled, with the name of the option.
#pragma once

#include <kroton/expr/results.hpp>

#include <limits>

namespace kroton::optim {

/// What options have to be in, in a call at a line. Each function reports the option `name` if `x` is not in the range,
/// and says whether it is. A struct of options has `are_in(ranges)`, which says whether all of them are.
class option_ranges {
 public:
  constexpr option_ranges(kroton::graph::graph& g, unsigned line) : graph_(g), line_(line) {}

  /// From 0 to 1, and not 1: the weight of what was before in a mean.
  constexpr bool weight(const char* name, double x) const {
    return said(mistake::weight_option, name, x >= 0 && x < 1);
  }
  constexpr bool positive(const char* name, double x) const {
    return said(mistake::positive_option, name, x > 0 && x <= largest);
  }
  constexpr bool not_negative(const char* name, double x) const {
    return said(mistake::negative_option, name, x >= 0 && x <= largest);
  }

 private:
  kroton::graph::graph& graph_;
  unsigned line_;

  static constexpr double largest = std::numeric_limits<double>::max();
  constexpr bool said(mistake what, const char* name, bool is_inside) const {
    if (!is_inside) graph_.report({.what = what, .line = line_, .option = name});
    return is_inside;
  }
};

}  // namespace kroton::optim
