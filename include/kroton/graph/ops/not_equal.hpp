// This header has the operation not_equal: whether x differs from y.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct not_equal : comparison<not_equal> {
  static constexpr const char* name = "not_equal";
  template <class V>
  static constexpr KROTON_HD auto apply(const V& x, const V& y) {
    return x != y;
  }
};
}  // namespace ops

/// Whether x differs from y; elementwise with broadcasting, a tensor of bool: `x != y`.
template <class X, class Y>
  requires operand_pair<X, Y>
constexpr auto operator!=(const X& x, const Y& y) { return layer_of<X, Y>::template map<ops::not_equal>(x, y); }

}  // namespace kroton
