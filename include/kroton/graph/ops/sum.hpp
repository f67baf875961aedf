// This header has the operation sum: the sum of elements along axes.
#pragma once

#include <kroton/graph/reduction.hpp>

namespace kroton {
namespace ops {
struct sum : reduction<operands::numeric> {
  static constexpr const char* name = "sum";
  static constexpr bool linear = true;
  static constexpr dtype result(dtype operand) { return widened(operand); }
  template <class V>
  static constexpr KROTON_HD V combine(const V& x, const V& y) {
    using simd::wrapped_sum;
    return wrapped_sum(x, y);
  }
  template <class T>
  static constexpr T identity = T(0);
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, spread(b.seed(), reduction_form::of(b.attr()).axes, b.operand(0).extents()));
  }
};
}  // namespace ops

constexpr term sum(term x, std::int64_t mask) { return graph::reduce_term<ops::sum>(x, mask); }

/// Sum, over all axes, to a scalar: `kt::sum(x)`.
template <tensor_like X>
constexpr auto sum(const X& x) {
  return layer_of<X>::template reduce_all<ops::sum>(x);
}

/// Sum, over some axes: `sum(x, axis<1>)`, `sum(x, axis<0, 2>, keep_dims)`.
template <tensor_like X, class Axes = graph::in_braces, class... Keep>
  requires(!std::is_same_v<X, term> || graph::is_axes<Axes>)
constexpr auto sum(const X& x, Axes axes, Keep... keep) {
  return layer_of<X>::template reduce<ops::sum>(x, axes, keep...);
}

}  // namespace kroton
