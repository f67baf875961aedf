// Whether all elements are true.
#pragma once

#include <kroton/graph/reduction.hpp>

namespace kroton {
namespace ops {
struct all : reduction<operands::boolean> {
  static constexpr const char* name = "all";
  template <class V>
  static constexpr KROTON_HD V combine(const V& x, const V& y) {
    return static_cast<V>(x & y);
  }
  template <class T>
  static constexpr T identity = true;
};
}  // namespace ops

constexpr term all(term x, std::int64_t mask) { return reduce_term<ops::all>(x, mask); }

/// Whether all elements are true, over all axes, to a scalar.
template <tensor_like X>
constexpr auto all(const X& x) {
  return layer_of<X>::template reduce_all<ops::all>(x);
}

/// Whether all elements are true, over some axes: `all(x, axis<1>)`, `all(x, axis<0, 2>, keep_dims)`.
template <tensor_like X, class Axes = in_braces, class... Keep>
  requires(!std::is_same_v<X, term>)
constexpr auto all(const X& x, Axes axes, Keep... keep) {
  return layer_of<X>::template reduce<ops::all>(x, axes, keep...);
}

}  // namespace kroton
