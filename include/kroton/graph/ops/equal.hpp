// This header has the operation equal: whether x equals y.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct equal : comparison<equal> {
  static constexpr const char* name = "equal";
  template <class V>
  static constexpr KROTON_HD auto apply(const V& x, const V& y) {
    return x == y;
  }
};
}  // namespace ops

/// Whether x equals y; elementwise with broadcasting, a tensor of bool: `x == y`.
template <class X, class Y>
  requires operand_pair<X, Y>
constexpr auto operator==(const X& x, const Y& y) { return layer_of<X, Y>::template map<ops::equal>(x, y); }

}  // namespace kroton
