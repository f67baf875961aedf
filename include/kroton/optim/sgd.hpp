// Stochastic gradient descent.
#pragma once

#include <kroton/expr/results.hpp>

namespace kroton::optim {

/// Updates p -= rate * d cost / d p for every parameter; `rate` is a number or a scalar expression.
template <expression C, operand Rate>
constexpr update_list sgd(const C& cost, const parameter_list& parameters, const Rate& rate, unsigned line = __builtin_LINE()) {
  update_list list;
  const array_list<term> gradient = grad(cost, parameters, line);
  for (int i = 0; i < gradient.size(); ++i)
    list.add(parameters.items[i], parameters.items[i] - typed_layer::untyped(rate) * gradient[i]);
  return list;
}

}  // namespace kroton::optim
