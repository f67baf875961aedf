// This header has the operation logical_xor: whether exactly one is true.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct logical_xor : elementwise<logical_xor, 2, operands::boolean> {
  static constexpr const char* name = "logical_xor";
  static constexpr int cost = 1;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x, const V& y) {
    return x ^ y;
  }
};
}  // namespace ops

/// Whether exactly one is true; elementwise on tensors of bool (both sides are always evaluated): `x ^ y`.
template <class X, class Y>
  requires operand_pair<X, Y>
constexpr mapped<ops::logical_xor, X, Y> operator^(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::logical_xor>(x, y);
}

}  // namespace kroton
