// This header has the operation greater_equal: whether x is at least y.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct greater_equal : comparison<greater_equal> {
  static constexpr const char* name = "greater_equal";
  static constexpr operands takes = operands::numeric;
  template <class V>
  static constexpr KROTON_HD auto apply(const V& x, const V& y) {
    return x >= y;
  }
};
}  // namespace ops

/// Whether x is at least y; elementwise with broadcasting, a tensor of bool: `x >= y`.
template <class X, class Y>
  requires operand_pair<X, Y>
constexpr mapped<ops::greater_equal, X, Y> operator>=(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::greater_equal>(x, y);
}

}  // namespace kroton
