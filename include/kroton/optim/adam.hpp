// This header has Adam, and AdamW, whose weight decay is apart from the gradient.
#pragma once

#include <kroton/optim/optimiser.hpp>

namespace kroton::optim {

/// The step of Adam without the rate: the mean m of gradients over the root of the mean v of their squares, m / w1 /
/// (sqrt(v / w2) + epsilon), where the weights w correct for the beginning at 0. The roots of weights are scalars, so
/// that an element takes one division: s m / (sqrt(v) + e) with s = sqrt(w2) / w1, e = epsilon sqrt(w2).
constexpr term adam_direction(parameter_step& s, const term& gradient, double beta1, double beta2, double epsilon) {
  term &mean = s.kept[0], &mean_square = s.kept[1];
  mean = beta1 * mean + (1 - beta1) * gradient;
  mean_square = beta2 * mean_square + (1 - beta2) * sqr(gradient);
  const term steps = cast(s.steps, s.value.type());
  const term first = -expm1(steps * constexpr_log(beta1)), second = sqrt(-expm1(steps * constexpr_log(beta2)));
  return mean * (second / first) / (sqrt(mean_square) + epsilon * second);
}

/// Options of kt::optim::adam.
struct adam_options {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;  ///< times the parameter, added to the gradient
  gradient_limits clip = {};
  constexpr bool are_in(const option_ranges& ranges) const {
    return ranges.weight("beta1", beta1) && ranges.weight("beta2", beta2) && ranges.not_negative("epsilon", epsilon) &&
           ranges.not_negative("weight_decay", weight_decay) && clip.are_in(ranges);
  }
};
/// Adam (Kingma and Ba 2015): `kt::optim::adam optimiser{this};`, and in a function `optimiser(cost, parameters(),
/// 0.001)`. It keeps two numbers for each element of a parameter.
class adam : public optimiser<adam, adam_options> {
 public:
  using optimiser::optimiser;

  static constexpr const char* name = "adam";
  static constexpr std::initializer_list<const char*> kept_names = {"mean", "mean_square"};
  static constexpr bool counts = true;
  constexpr term rule(parameter_step& s) const {
    const term gradient = with_decay(s, options_.weight_decay);
    return s.value - s.rate * adam_direction(s, gradient, options_.beta1, options_.beta2, options_.epsilon);
  }
};

/// Options of kt::optim::adamw.
struct adamw_options {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0.01;  ///< times rate and parameter, taken from the parameter
  gradient_limits clip = {};
  constexpr bool are_in(const option_ranges& ranges) const {
    return ranges.weight("beta1", beta1) && ranges.weight("beta2", beta2) && ranges.not_negative("epsilon", epsilon) &&
           ranges.not_negative("weight_decay", weight_decay) && clip.are_in(ranges);
  }
};
/// Adam with weight decay apart from the gradient (Loshchilov and Hutter 2019): `kt::optim::adamw optimiser{this,
/// {.weight_decay = 0.1}};`.
class adamw : public optimiser<adamw, adamw_options> {
 public:
  using optimiser::optimiser;

  static constexpr const char* name = "adamw";
  static constexpr std::initializer_list<const char*> kept_names = {"mean", "mean_square"};
  static constexpr bool counts = true;
  constexpr term rule(parameter_step& s) const {
    const term direction = adam_direction(s, s.gradient, options_.beta1, options_.beta2, options_.epsilon);
    return s.value - s.rate * (direction + options_.weight_decay * s.value);
  }
};

}  // namespace kroton::optim
