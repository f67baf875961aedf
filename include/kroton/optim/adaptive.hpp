// This header has optimisers with a step of its own for each element: Adagrad, RMSProp and Adadelta.
#pragma once

#include <kroton/optim/optimiser.hpp>

namespace kroton::optim {

/// Options of kt::optim::adagrad.
struct adagrad_options {
  double epsilon = 1e-10;
  gradient_limits clip = {};
};
/// Adagrad (Duchi et al. 2011), p -= rate g / (sqrt(s) + epsilon) with s the sum of all g^2: `kt::optim::adagrad
/// optimiser{this};`.
class adagrad : public optimiser<adagrad> {
 public:
  constexpr explicit adagrad(model* parent, const adagrad_options& o = {}) : adagrad(parent, "adagrad", o) {}
  constexpr adagrad(model* parent, const char* name, const adagrad_options& o = {})
      : optimiser(parent, name, {"sum_of_squares"}), options_(o) {}
  constexpr adagrad(model* parent, const char* name, const parameter_list& trained, const adagrad_options& o = {})
      : optimiser(parent, name, trained, {"sum_of_squares"}), options_(o) {}

  static constexpr bool counts = false;
  constexpr const gradient_limits& limits() const { return options_.clip; }
  constexpr term rule(parameter_step& s) const {
    term& sum = s.kept[0];
    sum = sum + sqr(s.gradient);
    return s.value - s.rate * s.gradient / (sqrt(sum) + options_.epsilon);
  }

 private:
  adagrad_options options_;
};

/// Options of kt::optim::rmsprop.
struct rmsprop_options {
  double decay = 0.99, epsilon = 1e-8;
  gradient_limits clip = {};
};
/// RMSProp (Tieleman and Hinton 2012), p -= rate g / (sqrt(s) + epsilon) with s = decay s + (1 - decay) g^2:
/// `kt::optim::rmsprop optimiser{this};`.
class rmsprop : public optimiser<rmsprop> {
 public:
  constexpr explicit rmsprop(model* parent, const rmsprop_options& o = {}) : rmsprop(parent, "rmsprop", o) {}
  constexpr rmsprop(model* parent, const char* name, const rmsprop_options& o = {})
      : optimiser(parent, name, {"mean_square"}), options_(o) {}
  constexpr rmsprop(model* parent, const char* name, const parameter_list& trained, const rmsprop_options& o = {})
      : optimiser(parent, name, trained, {"mean_square"}), options_(o) {}

  static constexpr bool counts = false;
  constexpr const gradient_limits& limits() const { return options_.clip; }
  constexpr term rule(parameter_step& s) const {
    term& mean_square = s.kept[0];
    mean_square = options_.decay * mean_square + (1 - options_.decay) * sqr(s.gradient);
    return s.value - s.rate * s.gradient / (sqrt(mean_square) + options_.epsilon);
  }

 private:
  rmsprop_options options_;
};

/// Options of kt::optim::adadelta.
struct adadelta_options {
  double decay = 0.9, epsilon = 1e-6;
  gradient_limits clip = {};
};
/// Adadelta (Zeiler 2012), whose usual rate is 1: steps are as large as the root of the mean of the squares of earlier
/// steps over that of gradients. `kt::optim::adadelta optimiser{this};`.
class adadelta : public optimiser<adadelta> {
 public:
  constexpr explicit adadelta(model* parent, const adadelta_options& o = {}) : adadelta(parent, "adadelta", o) {}
  constexpr adadelta(model* parent, const char* name, const adadelta_options& o = {})
      : optimiser(parent, name, {"mean_square", "mean_square_step"}), options_(o) {}
  constexpr adadelta(model* parent, const char* name, const parameter_list& trained, const adadelta_options& o = {})
      : optimiser(parent, name, trained, {"mean_square", "mean_square_step"}), options_(o) {}

  static constexpr bool counts = false;
  constexpr const gradient_limits& limits() const { return options_.clip; }
  constexpr term rule(parameter_step& s) const {
    term &mean_square = s.kept[0], &mean_square_step = s.kept[1];
    mean_square = options_.decay * mean_square + (1 - options_.decay) * sqr(s.gradient);
    const term step = sqrt(mean_square_step + options_.epsilon) / sqrt(mean_square + options_.epsilon) * s.gradient;
    mean_square_step = options_.decay * mean_square_step + (1 - options_.decay) * sqr(step);
    return s.value - s.rate * step;
  }

 private:
  adadelta_options options_;
};

}  // namespace kroton::optim
