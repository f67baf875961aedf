// This header has stochastic gradient descent.
#pragma once

#include <kroton/expr/results.hpp>

namespace kroton::optim {

/// Stochastic gradient descent, p -= rate * d cost / d p for every parameter: `kt::optim::sgd(cost, parameters(),
/// 0.1f)`; `rate` is a number or a scalar expression with the cost's element type.
template <expression C, class Rate>
constexpr auto sgd(const C& cost, const parameter_list& parameters, const Rate& rate,
                   unsigned line = __builtin_LINE()) {
  update_list list;
  if constexpr (!is_scalar_beside<C, Rate>()) {
    reject<complaint::optimiser, C, Rate>();
    typed_layer::refused<typename C::expression>(cost);
  } else {
    if (parameters.items.empty()) cost.untyped().owner->report({.what = mistake::no_parameters, .line = line});
    const array_list<term> gradient = grad(cost, parameters, line);
    for (int i = 0; i < gradient.size(); ++i)
      list.add(parameters.items[i], parameters.items[i] - typed_layer::untyped(rate) * gradient[i]);
  }
  return list;
}

/// Refused.
template <class... Wrong>
constexpr auto sgd(const Wrong&... wrong) {
  reject<complaint::optimiser, Wrong...>();
  foreign_layer::stand_in<functions::grad>(wrong...);
  return update_list();
}

}  // namespace kroton::optim
