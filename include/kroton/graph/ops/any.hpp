// This header has the operation any: whether any element is true.
#pragma once

#include <kroton/graph/reduction.hpp>

namespace kroton {
namespace ops {
struct any : reduction<operands::boolean> {
  static constexpr const char* name = "any";
  template <class V>
  static constexpr KROTON_HD V combine(const V& x, const V& y) {
    return x | y;
  }
  template <class T>
  static constexpr T identity = false;
};
}  // namespace ops

namespace graph {
/// The type of `kt::any`.
struct any_extent {
  template <tensor_like X>
  constexpr auto operator()(const X& x) const {
    return layer_of<X>::template reduce_all<ops::any>(x);
  }
  template <tensor_like X, class Axes = in_braces, class... Keep>
  constexpr auto operator()(const X& x, Axes axes, Keep... keep) const {
    return layer_of<X>::template reduce<ops::any>(x, axes, keep...);
  }
};
}  // namespace graph

/// Two things by one name: the extent known only at the call, as in `var<float, any, 3>`, and the reduction
/// `any(x)`, `any(x, axis<1>)`: whether any element is true.
inline constexpr graph::any_extent any{};

}  // namespace kroton
