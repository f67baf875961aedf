// This header has the operation logical_or: whether at least one is true.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct logical_or : elementwise<logical_or, 2, operands::boolean> {
  static constexpr const char* name = "logical_or";
  static constexpr int cost = 1;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x, const V& y) {
    return x | y;
  }
};
}  // namespace ops

/// Whether at least one is true; elementwise on tensors of bool (both sides are always evaluated): `x || y`.
template <class X, class Y>
  requires operand_pair<X, Y>
constexpr mapped<ops::logical_or, X, Y> operator||(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::logical_or>(x, y);
}

}  // namespace kroton
