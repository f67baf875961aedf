// This header has the operation less_equal: whether x is at most y.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct less_equal : comparison<less_equal> {
  static constexpr const char* name = "less_equal";
  static constexpr operands takes = operands::numeric;
  template <class V>
  static constexpr KROTON_HD auto apply(const V& x, const V& y) {
    return x <= y;
  }
};
}  // namespace ops

/// Whether x is at most y; elementwise with broadcasting, a tensor of bool: `x <= y`.
template <class X, class Y>
  requires operand_pair<X, Y>
constexpr mapped<ops::less_equal, X, Y> operator<=(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::less_equal>(x, y);
}

}  // namespace kroton
