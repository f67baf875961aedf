// This header has Lion.
#pragma once

#include <kroton/optim/optimiser.hpp>

namespace kroton::optim {

/// Options of kt::optim::lion.
struct lion_options {
  double beta1 = 0.9, beta2 = 0.99;
  double weight_decay = 0;  ///< times rate and parameter, taken from the parameter
  gradient_limits clip = {};
  constexpr bool are_in(const option_ranges& ranges) const {
    return ranges.weight("beta1", beta1) && ranges.weight("beta2", beta2) &&
           ranges.not_negative("weight_decay", weight_decay) && clip.are_in(ranges);
  }
};
/// Lion (Chen et al. 2023), whose steps are signs: `kt::optim::lion optimiser{this};`. Its rates are a third to a tenth
/// of those of Adam.
class lion : public optimiser<lion, lion_options> {
 public:
  using optimiser::optimiser;

  static constexpr const char* name = "lion";
  static constexpr std::initializer_list<const char*> kept_names = {"mean"};
  static constexpr bool counts = false;
  constexpr term rule(parameter_step& s) const {
    term& mean = s.kept[0];
    const term direction = sign(options_.beta1 * mean + (1 - options_.beta1) * s.gradient);
    mean = options_.beta2 * mean + (1 - options_.beta2) * s.gradient;
    return s.value - s.rate * (options_.weight_decay == 0 ? direction : direction + options_.weight_decay * s.value);
  }
};

}  // namespace kroton::optim
