// This header has the operation min: smallest element, NaN if there is one.
#pragma once

#include <kroton/graph/ops/equal.hpp>
#include <kroton/graph/ops/where.hpp>
#include <kroton/graph/reduction.hpp>

namespace kroton {
namespace ops {
struct min : reduction<operands::numeric> {
  static constexpr const char* name = "min";
  static constexpr bool exact = true;
  static constexpr bool linear = true;
  template <class V>
  static constexpr KROTON_HD V combine(const V& x, const V& y) {
    using simd::minimum;
    return minimum(x, y);
  }
  template <class T>
  static constexpr T identity = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                                     : std::numeric_limits<T>::max();
  template <class B>
  static constexpr void backward(B& b) {
    // all ties receive the gradient, as in Theano
    const term x = b.operand(0);
    const std::int64_t axes = reduction_form::of(b.attr()).axes;
    b.add_where(0, x == spread(b.result(), axes, x.extents()), spread(b.seed(), axes, x.extents()));
  }
};
}  // namespace ops

constexpr term min(term x, std::int64_t mask) { return graph::reduce_term<ops::min>(x, mask); }

/// Smallest element, NaN if there is one, over all axes, to a scalar: `kt::min(x)`.
template <tensor_like X>
constexpr auto min(const X& x) {
  return layer_of<X>::template reduce_all<ops::min>(x);
}

/// Smallest element, NaN if there is one, over some axes: `min(x, axis<1>)`, `min(x, axis<0, 2>, keep_dims)`.
template <tensor_like X, class Axes = graph::in_braces, class... Keep>
  requires(!std::is_same_v<X, term> || graph::is_axes<Axes>)
constexpr auto min(const X& x, Axes axes, Keep... keep) {
  return layer_of<X>::template reduce<ops::min>(x, axes, keep...);
}

}  // namespace kroton
