// This header has running averages of parameters, with which a model often predicts better than with its last ones.
#pragma once

#include <kroton/optim/optimiser.hpp>

namespace kroton::optim {

/// Options of kt::optim::average.
struct average_options {
  double decay = 0.999;  ///< the weight of the average so far
  constexpr bool are_in(const option_ranges& ranges) const { return ranges.weight("decay", decay); }
};
/// Exponential moving averages of parameters (Polyak and Juditsky 1992), as a block: `kt::optim::average
/// averaged{this, {.decay = 0.99}};`, after the parameters. A step takes the new values into them, and a function
/// computes with them instead of the parameters:
///
///     const auto step = optimiser(cost, parameters(), rate);
///     return kt::outputs(cost).updates(step, averaged(step));
///
///     return kt::outputs(logits(x)).givens(averaged.in_place_of(parameters()));
class average : public kept_for_parameters {
 public:
  constexpr explicit average(model* parent, const average_options& o = {}) : average(parent, "average", o) {}
  constexpr average(model* parent, const char* name, const average_options& o = {})
      : kept_for_parameters(parent, name, "steps", {"sum"}), options_(o) {}

  /// The updates of the averages by the new values that `updates` give parameters.
  constexpr update_list operator()(const update_list& updates, unsigned line = __builtin_LINE()) const {
    update_list list;
    if (!options_.are_in({captured(), line})) return list;
    list.add(count(), count() + 1);
    for (const kroton::graph::update_entry& u : updates.items) {
      if (!keeps(u.target)) continue;
      const term sum = kept(0, shared_term(u.target)), value{&captured(), u.source};
      list.add(sum, options_.decay * sum + (1 - options_.decay) * cast(value, sum.type()));
    }
    return list;
  }
  /// The averages as replacements of parameters, for `kt::outputs(...).givens(...)`. Before the first step, a parameter
  /// is its own average.
  constexpr given_list in_place_of(const parameter_list& parameters, unsigned line = __builtin_LINE()) const {
    given_list list;
    if (!options_.are_in({captured(), line})) return list;
    for (const term& p : parameters.items) {
      const term sum = kept(0, p, line);
      if (!sum.valid()) return list;
      const term weight = -expm1(cast(count(), sum.type()) * constexpr_log(options_.decay));  // 1 - decay^steps
      const term value = where(count() > 0, sum / weight, cast(p, sum.type()));
      list.items.push_back({p.id, cast(value, p.type()).id, line});
    }
    return list;
  }

 private:
  average_options options_;
};

}  // namespace kroton::optim
