// This header has Lion.
#pragma once

#include <kroton/optim/optimiser.hpp>

namespace kroton::optim {

/// Options of kt::optim::lion.
struct lion_options {
  double beta1 = 0.9, beta2 = 0.99;
  double weight_decay = 0;  ///< times rate and parameter, taken from the parameter
  gradient_limits clip = {};
};
/// Lion (Chen et al. 2023), whose steps are signs: `kt::optim::lion optimiser{this};`. Its rates are a third to a tenth
/// of those of Adam.
class lion : public optimiser<lion> {
 public:
  constexpr explicit lion(model* parent, const lion_options& o = {}) : lion(parent, "lion", o) {}
  constexpr lion(model* parent, const char* name, const lion_options& o = {})
      : optimiser(parent, name, {"mean"}), options_(o) {}
  constexpr lion(model* parent, const char* name, const parameter_list& trained, const lion_options& o = {})
      : optimiser(parent, name, trained, {"mean"}), options_(o) {}

  static constexpr bool counts = false;
  constexpr const gradient_limits& limits() const { return options_.clip; }
  constexpr term rule(parameter_step& s) const {
    term& mean = s.kept[0];
    const term direction = sign(options_.beta1 * mean + (1 - options_.beta1) * s.gradient);
    mean = options_.beta2 * mean + (1 - options_.beta2) * s.gradient;
    return s.value - s.rate * (options_.weight_decay == 0 ? direction : direction + options_.weight_decay * s.value);
  }

 private:
  lion_options options_;
};

}  // namespace kroton::optim
