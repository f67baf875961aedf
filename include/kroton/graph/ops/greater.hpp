// This header has the operation greater: whether x is above y.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct greater : comparison<greater> {
  static constexpr const char* name = "greater";
  static constexpr operands takes = operands::numeric;
  template <class V>
  static constexpr KROTON_HD auto apply(const V& x, const V& y) {
    return x > y;
  }
};
}  // namespace ops

/// Whether x is above y; elementwise with broadcasting, a tensor of bool: `x > y`.
template <class X, class Y>
  requires operand_pair<X, Y>
constexpr mapped<ops::greater, X, Y> operator>(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::greater>(x, y);
}

}  // namespace kroton
