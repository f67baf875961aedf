// This header has optimisers with a step of its own for each element: Adagrad, RMSProp and Adadelta.
#pragma once

#include <kroton/optim/optimiser.hpp>

namespace kroton::optim {

/// Options of kt::optim::adagrad.
struct adagrad_options {
  double epsilon = 1e-10;
  gradient_limits clip = {};
  constexpr bool are_in(const option_ranges& ranges) const {
    return ranges.not_negative("epsilon", epsilon) && clip.are_in(ranges);
  }
};
/// Adagrad (Duchi et al. 2011), p -= rate g / (sqrt(s) + epsilon) with s the sum of all g^2: `kt::optim::adagrad
/// optimiser{this};`.
class adagrad : public optimiser<adagrad, adagrad_options> {
 public:
  using optimiser::optimiser;

  static constexpr const char* name = "adagrad";
  static constexpr std::initializer_list<const char*> kept_names = {"sum_of_squares"};
  static constexpr bool counts = false;
  constexpr term rule(parameter_step& s) const {
    term& sum = s.kept[0];
    sum = sum + sqr(s.gradient);
    return s.value - s.rate * s.gradient / (sqrt(sum) + options_.epsilon);
  }
};

/// Options of kt::optim::rmsprop.
struct rmsprop_options {
  double decay = 0.99, epsilon = 1e-8;
  gradient_limits clip = {};
  constexpr bool are_in(const option_ranges& ranges) const {
    return ranges.weight("decay", decay) && ranges.not_negative("epsilon", epsilon) && clip.are_in(ranges);
  }
};
/// RMSProp (Tieleman and Hinton 2012), p -= rate g / (sqrt(s) + epsilon) with s = decay s + (1 - decay) g^2:
/// `kt::optim::rmsprop optimiser{this};`.
class rmsprop : public optimiser<rmsprop, rmsprop_options> {
 public:
  using optimiser::optimiser;

  static constexpr const char* name = "rmsprop";
  static constexpr std::initializer_list<const char*> kept_names = {"mean_square"};
  static constexpr bool counts = false;
  constexpr term rule(parameter_step& s) const {
    term& mean_square = s.kept[0];
    mean_square = options_.decay * mean_square + (1 - options_.decay) * sqr(s.gradient);
    return s.value - s.rate * s.gradient / (sqrt(mean_square) + options_.epsilon);
  }
};

/// Options of kt::optim::adadelta.
struct adadelta_options {
  double decay = 0.9, epsilon = 1e-6;
  gradient_limits clip = {};
  constexpr bool are_in(const option_ranges& ranges) const {
    return ranges.weight("decay", decay) && ranges.not_negative("epsilon", epsilon) && clip.are_in(ranges);
  }
};
/// Adadelta (Zeiler 2012), whose usual rate is 1: steps are as large as the root of the mean of the squares of earlier
/// steps over that of gradients. `kt::optim::adadelta optimiser{this};`.
class adadelta : public optimiser<adadelta, adadelta_options> {
 public:
  using optimiser::optimiser;

  static constexpr const char* name = "adadelta";
  static constexpr std::initializer_list<const char*> kept_names = {"mean_square", "mean_square_step"};
  static constexpr bool counts = false;
  constexpr term rule(parameter_step& s) const {
    term &mean_square = s.kept[0], &mean_square_step = s.kept[1];
    mean_square = options_.decay * mean_square + (1 - options_.decay) * sqr(s.gradient);
    const term step = sqrt(mean_square_step + options_.epsilon) / sqrt(mean_square + options_.epsilon) * s.gradient;
    mean_square_step = options_.decay * mean_square_step + (1 - options_.decay) * sqr(step);
    return s.value - s.rate * step;
  }
};

}  // namespace kroton::optim
