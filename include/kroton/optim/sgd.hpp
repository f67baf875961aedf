// This header has stochastic gradient descent, plain and with momentum.
#pragma once

#include <kroton/optim/optimiser.hpp>

namespace kroton::typed {
/// The mistake in a cost and a rate; none in those of a block, which begins with its model.
template <class C, class Rate>
constexpr complaint sgd_problem() {
  if constexpr (std::is_convertible_v<C, model*>) return complaint::none;
  else return schedule<Rate> ? complaint::optimiser : optimiser_problem<C, Rate>();
}
/// The mistake in arguments that are neither those nor a cost, parameters and a rate.
template <class First, class... Rest>
constexpr complaint other_sgd_problem() {
  if (std::is_convertible_v<First, model*> || std::is_base_of_v<update_list, First>) return complaint::none;
  if constexpr (sizeof...(Rest) > 1)
    if (std::is_same_v<std::tuple_element_t<0, std::tuple<Rest...>>, parameter_list>) return complaint::none;
  return std::is_base_of_v<refused_expression, First> ? complaint::said : complaint::optimiser;
}
}  // namespace kroton::typed

namespace kroton::optim {

/// Options of kt::optim::sgd.
struct sgd_options {
  double weight_decay = 0;  ///< times the parameter, added to the gradient
  gradient_limits clip = {};
};
/// Stochastic gradient descent, p -= rate * d cost / d p for every parameter: `kt::optim::sgd(cost, parameters(),
/// 0.1f)`, where `rate` is a number or a scalar expression with the cost's element type. As a member of a model,
/// `kt::optim::sgd optimiser{this};`, it counts steps for a schedule: `optimiser(cost, parameters(), schedule)`.
class sgd : public optimiser<sgd>, public update_list {
 public:
  /// The last parameter refuses wrong arguments where the compiler chooses this constructor.
  template <class C, class Rate, complaint Problem = sgd_problem<C, Rate>(),
            class = decltype(reject<Problem, sgd, C, Rate>())>
  constexpr sgd(const C& cost, const parameter_list& parameters, const Rate& rate, unsigned line = __builtin_LINE()) {
    if constexpr (Problem == complaint::none)
      static_cast<update_list&>(*this) = updates_of(cost, parameters, rate, line);
    else if constexpr (expression<C>) typed_layer::refused<typename C::expression>(cost);
  }
  /// Refused.
  template <class First, class... Wrong,
            class = decltype(reject<other_sgd_problem<First, Wrong...>(), sgd, First, Wrong...>())>
    requires(!std::is_convertible_v<First, model*>)
  constexpr explicit sgd(const First& first, const Wrong&... wrong) {
    foreign_layer::stand_in<functions::grad>(first, wrong...);
  }
  constexpr explicit sgd(model* parent, const sgd_options& o = {}) : sgd(parent, "sgd", o) {}
  constexpr sgd(model* parent, const char* name, const sgd_options& o = {})
      : optimiser(parent, name, {}), options_(o) {}

  static constexpr bool counts = false;
  constexpr const gradient_limits& limits() const { return options_.clip; }
  constexpr term rule(parameter_step& s) const { return s.value - s.rate * with_decay(s, options_.weight_decay); }

 private:
  sgd_options options_;
};

/// Options of kt::optim::momentum and kt::optim::nesterov.
struct momentum_options {
  double momentum = 0.9;
  double weight_decay = 0;  ///< times the parameter, added to the gradient
  gradient_limits clip = {};
};
/// Gradient descent along a velocity, v = momentum v + g, p -= rate v (Polyak 1964): `kt::optim::momentum
/// optimiser{this, {.momentum = 0.95}};`, and in a function `optimiser(cost, parameters(), 0.1)`.
class momentum : public optimiser<momentum> {
 public:
  constexpr explicit momentum(model* parent, const momentum_options& o = {}) : momentum(parent, "momentum", o) {}
  constexpr momentum(model* parent, const char* name, const momentum_options& o = {})
      : optimiser(parent, name, {"velocity"}), options_(o) {}
  constexpr momentum(model* parent, const char* name, const parameter_list& trained, const momentum_options& o = {})
      : optimiser(parent, name, trained, {"velocity"}), options_(o) {}

  static constexpr bool counts = false;
  constexpr const gradient_limits& limits() const { return options_.clip; }
  constexpr term rule(parameter_step& s) const {
    term& velocity = s.kept[0];
    velocity = options_.momentum * velocity + with_decay(s, options_.weight_decay);
    return s.value - s.rate * velocity;
  }

 private:
  momentum_options options_;
};
/// Nesterov's accelerated gradient, v = momentum v + g, p -= rate (g + momentum v) (Sutskever et al. 2013):
/// `kt::optim::nesterov optimiser{this};`.
class nesterov : public optimiser<nesterov> {
 public:
  constexpr explicit nesterov(model* parent, const momentum_options& o = {}) : nesterov(parent, "nesterov", o) {}
  constexpr nesterov(model* parent, const char* name, const momentum_options& o = {})
      : optimiser(parent, name, {"velocity"}), options_(o) {}
  constexpr nesterov(model* parent, const char* name, const parameter_list& trained, const momentum_options& o = {})
      : optimiser(parent, name, trained, {"velocity"}), options_(o) {}

  static constexpr bool counts = false;
  constexpr const gradient_limits& limits() const { return options_.clip; }
  constexpr term rule(parameter_step& s) const {
    const term g = with_decay(s, options_.weight_decay);
    term& velocity = s.kept[0];
    velocity = options_.momentum * velocity + g;
    return s.value - s.rate * (g + options_.momentum * velocity);
  }

 private:
  momentum_options options_;
};

}  // namespace kroton::optim
