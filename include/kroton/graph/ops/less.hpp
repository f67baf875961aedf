// This header has the operation less: whether x is below y.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct less : comparison<less> {
  static constexpr const char* name = "less";
  static constexpr operands takes = operands::numeric;
  template <class V>
  static constexpr KROTON_HD auto apply(const V& x, const V& y) {
    return x < y;
  }
};
}  // namespace ops

/// Whether x is below y; elementwise with broadcasting, a tensor of bool: `x < y`.
template <class X, class Y>
  requires operand_pair<X, Y>
constexpr mapped<ops::less, X, Y> operator<(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::less>(x, y);
}

}  // namespace kroton
