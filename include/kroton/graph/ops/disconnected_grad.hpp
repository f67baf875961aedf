// This header has the operation disconnected_grad: x, through which no gradient flows.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct disconnected_grad : elementwise<disconnected_grad, 1, operands::floating> {
  static constexpr const char* name = "disconnected_grad";
  static constexpr bool identity_value = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    return x;
  }
};
}  // namespace ops

namespace graph {
constexpr term disconnected_term(term x) {
  return {x.owner, x.owner->add(op<ops::disconnected_grad>, x.type(), x.get().shape, {}, &x.id, 1)};
}
}  // namespace graph

/// The operand `x`, through which no gradient flows: `kt::disconnected_grad(x)`.
template <symbolic X>
constexpr auto disconnected_grad(const X& x) {
  return X::layer::template hook<ops::disconnected_grad>(x, {});
}

}  // namespace kroton
