// This header has the operation max: largest element, NaN if there is one.
#pragma once

#include <kroton/graph/ops/equal.hpp>
#include <kroton/graph/ops/where.hpp>
#include <kroton/graph/reduction.hpp>

namespace kroton {
namespace ops {
struct max : reduction<operands::numeric> {
  static constexpr const char* name = "max";
  static constexpr bool exact = true;
  static constexpr bool linear = true;
  template <class V>
  static constexpr KROTON_HD V combine(const V& x, const V& y) {
    using simd::maximum;
    return maximum(x, y);
  }
  template <class T>
  static constexpr T identity = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                     : std::numeric_limits<T>::lowest();
  template <class B>
  static constexpr void backward(B& b) {
    // all ties receive the gradient, as in Theano
    const term x = b.operand(0);
    const std::int64_t axes = reduction_form::of(b.attr()).axes;
    b.add_where(0, x == spread(b.result(), axes, x.extents()), spread(b.seed(), axes, x.extents()));
  }
};
}  // namespace ops

constexpr term max(term x, std::int64_t mask) { return graph::reduce_term<ops::max>(x, mask); }

/// Largest element, NaN if there is one, over all axes, to a scalar: `kt::max(x)`.
template <tensor_like X>
constexpr auto max(const X& x) {
  return layer_of<X>::template reduce_all<ops::max>(x);
}

/// Largest element, NaN if there is one, over some axes: `max(x, axis<1>)`, `max(x, axis<0, 2>, keep_dims)`.
template <tensor_like X, class Axes = graph::in_braces, class... Keep>
  requires(!std::is_same_v<X, term> || graph::is_axes<Axes>)
constexpr auto max(const X& x, Axes axes, Keep... keep) {
  return layer_of<X>::template reduce<ops::max>(x, axes, keep...);
}

}  // namespace kroton
