// This header has the operation prod: the product of elements along axes.
#pragma once

#include <kroton/graph/ops/cast.hpp>
#include <kroton/graph/ops/div.hpp>
#include <kroton/graph/ops/equal.hpp>
#include <kroton/graph/ops/mul.hpp>
#include <kroton/graph/ops/sub.hpp>
#include <kroton/graph/ops/sum.hpp>
#include <kroton/graph/ops/where.hpp>
#include <kroton/graph/reduction.hpp>

namespace kroton {

constexpr term prod(term x, std::int64_t mask);

namespace ops {
struct prod : reduction<operands::numeric> {
  static constexpr const char* name = "prod";
  static constexpr dtype result(dtype operand) { return widened(operand); }
  template <class V>
  static constexpr KROTON_HD V combine(const V& x, const V& y) {
    using simd::wrapped_product;
    return wrapped_product(x, y);
  }
  template <class T>
  static constexpr T identity = T(1);
  template <class B>
  static constexpr void backward(B& b) {
    // The product of the others, also where elements are zero. With two zeros it is 0 as well, but changes with the
    // other zero: it is written with it, so that second derivatives are right.
    const term x = b.operand(0);
    const std::int64_t axes = reduction_form::of(b.attr()).axes;
    const term zero = x == 0;
    const term zeros = spread(kt::sum(kt::cast(zero, x.type()), axes), axes, x.extents());
    const term nonzero = kt::where(zero, 1, x);  // what is divided by, so that the second derivative is no NaN either
    const term others = spread(kt::prod(nonzero, axes), axes, x.extents());
    const term whole = spread(b.result(), axes, x.extents());
    const term only_zeros = kt::where(zero, x, 0);
    const term other_zeros = spread(kt::sum(only_zeros, axes), axes, x.extents()) - only_zeros;
    const term at_zero = kt::where(zeros == 1, others, kt::where(zeros == 2, others * other_zeros, 0));
    const term slope = kt::where(zero, at_zero, whole / nonzero);
    b.add(0, spread(b.seed(), axes, x.extents()) * slope);
  }
};
}  // namespace ops

constexpr term prod(term x, std::int64_t mask) { return graph::reduce_term<ops::prod>(x, mask); }

/// Product, over all axes, to a scalar: `kt::prod(x)`.
template <tensor_like X>
constexpr auto prod(const X& x) {
  return layer_of<X>::template reduce_all<ops::prod>(x);
}

/// Product, over some axes: `prod(x, axis<1>)`, `prod(x, axis<0, 2>, keep_dims)`.
template <tensor_like X, class Axes = graph::in_braces, class... Keep>
  requires(!std::is_same_v<X, term> || graph::is_axes<Axes>)
constexpr auto prod(const X& x, Axes axes, Keep... keep) {
  return layer_of<X>::template reduce<ops::prod>(x, axes, keep...);
}

}  // namespace kroton
