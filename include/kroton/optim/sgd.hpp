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
  constexpr bool are_in(const option_ranges& ranges) const {
    return ranges.not_negative("weight_decay", weight_decay) && clip.are_in(ranges);
  }
};
/// Stochastic gradient descent, p -= rate * d cost / d p for every parameter: `kt::optim::sgd(cost, parameters(),
/// 0.1f)`, where `rate` is a number or a scalar expression with the cost's element type. As a member of a model,
/// `kt::optim::sgd optimiser{this};`, it counts steps for a schedule: `optimiser(cost, parameters(), schedule)`.
class sgd : public optimiser<sgd, sgd_options>, public update_list {
 public:
  /// The last parameter refuses wrong arguments where the compiler chooses this constructor.
  template <class C, class Rate, complaint Problem = sgd_problem<C, Rate>(),
            class = decltype(reject<Problem, sgd, C, Rate>())>
  constexpr sgd(const C& cost, const parameter_list& parameters, const Rate& rate, unsigned line = __builtin_LINE())
      : optimiser(sgd_options()) {
    if constexpr (Problem == complaint::none)
      static_cast<update_list&>(*this) = updates_of(cost, parameters, rate, line);
    else if constexpr (expression<C>) typed_layer::refused<typename C::expression>(cost);
  }
  /// Refused.
  template <class First, class... Wrong,
            class = decltype(reject<other_sgd_problem<First, Wrong...>(), sgd, First, Wrong...>())>
    requires(!std::is_convertible_v<First, model*>)
  constexpr explicit sgd(const First& first, const Wrong&... wrong) : optimiser(sgd_options()) {
    foreign_layer::stand_in<functions::grad>(first, wrong...);
  }
  using optimiser::optimiser;

  static constexpr const char* name = "sgd";
  static constexpr std::initializer_list<const char*> kept_names = {};
  static constexpr bool counts = false;
  constexpr term rule(parameter_step& s) const { return s.value - s.rate * with_decay(s, options_.weight_decay); }
};

/// Options of kt::optim::momentum and kt::optim::nesterov.
struct momentum_options {
  double momentum = 0.9;
  double weight_decay = 0;  ///< times the parameter, added to the gradient
  gradient_limits clip = {};
  constexpr bool are_in(const option_ranges& ranges) const {
    return ranges.weight("momentum", momentum) && ranges.not_negative("weight_decay", weight_decay) &&
           clip.are_in(ranges);
  }
};
/// Gradient descent along a velocity, v = momentum v + g, p -= rate v (Polyak 1964): `kt::optim::momentum
/// optimiser{this, {.momentum = 0.95}};`, and in a function `optimiser(cost, parameters(), 0.1)`.
class momentum : public optimiser<momentum, momentum_options> {
 public:
  using optimiser::optimiser;

  static constexpr const char* name = "momentum";
  static constexpr std::initializer_list<const char*> kept_names = {"velocity"};
  static constexpr bool counts = false;
  constexpr term rule(parameter_step& s) const {
    term& velocity = s.kept[0];
    velocity = options_.momentum * velocity + with_decay(s, options_.weight_decay);
    return s.value - s.rate * velocity;
  }
};
/// Nesterov's accelerated gradient, v = momentum v + g, p -= rate (g + momentum v) (Sutskever et al. 2013):
/// `kt::optim::nesterov optimiser{this};`.
class nesterov : public optimiser<nesterov, momentum_options> {
 public:
  using optimiser::optimiser;

  static constexpr const char* name = "nesterov";
  static constexpr std::initializer_list<const char*> kept_names = {"velocity"};
  static constexpr bool counts = false;
  constexpr term rule(parameter_step& s) const {
    const term g = with_decay(s, options_.weight_decay);
    term& velocity = s.kept[0];
    velocity = options_.momentum * velocity + g;
    return s.value - s.rate * (g + options_.momentum * velocity);
  }
};

}  // namespace kroton::optim
