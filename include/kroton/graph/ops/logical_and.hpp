// This header has the operation logical_and: whether both are true.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct logical_and : elementwise<logical_and, 2, operands::boolean> {
  static constexpr const char* name = "logical_and";
  static constexpr int cost = 1;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x, const V& y) {
    return x & y;
  }
};
}  // namespace ops

/// Whether both are true; elementwise on tensors of bool (both sides are always evaluated): `x && y`.
template <class X, class Y>
  requires operand_pair<X, Y>
constexpr mapped<ops::logical_and, X, Y> operator&&(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::logical_and>(x, y);
}

}  // namespace kroton
