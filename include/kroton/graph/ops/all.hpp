// This header has the operation all: whether all elements are true.
#pragma once

#include <kroton/graph/reduction.hpp>

namespace kroton {
namespace ops {
struct all : reduction<operands::boolean> {
  static constexpr const char* name = "all";
  template <class V>
  static constexpr KROTON_HD V combine(const V& x, const V& y) {
    return x & y;
  }
  template <class T>
  static constexpr T identity = true;
};
}  // namespace ops

namespace graph {
/// The type of `kt::all`.
struct all_elements {
  template <tensor_like X>
  constexpr auto operator()(const X& x) const {
    return layer_of<X>::template reduce_all<ops::all>(x);
  }
  template <tensor_like X, class Axes = in_braces, class... Keep>
  constexpr auto operator()(const X& x, Axes axes, Keep... keep) const {
    return layer_of<X>::template reduce<ops::all>(x, axes, keep...);
  }
};
}  // namespace graph

/// Two things by one name: all of an axis, as in `x[kt::at(kt::all, 2)]`, and the reduction `all(x)`, `all(x,
/// axis<1>)`, `all(x, axis<0, 2>, keep_dims)`: whether all elements are true.
inline constexpr graph::all_elements all{};

}  // namespace kroton
