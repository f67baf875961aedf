// This header has the operation cumprod: products of all elements up to each index along an axis.
#pragma once

#include <kroton/graph/axes.hpp>
#include <kroton/graph/ops/cast.hpp>
#include <kroton/graph/ops/cumsum.hpp>
#include <kroton/graph/ops/div.hpp>
#include <kroton/graph/ops/equal.hpp>
#include <kroton/graph/ops/logical_and.hpp>
#include <kroton/graph/ops/mul.hpp>
#include <kroton/graph/ops/where.hpp>

namespace kroton {

constexpr term cumprod(term x, int axis);

namespace ops {

/// Attributes: along_form. Floats are multiplied in double, 16-bit floats in float, integers in 64 bits, which wrap.
struct cumprod : running<cumprod, multiplied, operands::numeric> {
  static constexpr const char* name = "cumprod";
  static constexpr int cost = 1;
  static constexpr dtype result(const dtype* types, int) { return widened(types[0]); }
  template <class B>
  static constexpr void backward(B& b) {
    // The product of the others up to each index, also where an element is zero: after the first zero, all products are
    // zero, and those of the others are the products with a one in its place.
    const form f = form::of(b.attr());
    const term x = b.operand(0);
    const term is_zero = x == 0;
    const term is_first = is_zero && call_routine<cumsum>(form{f.axis}, kt::cast(is_zero, dtype::int32)) == 1;
    const term others = kt::cumprod(kt::where(is_first, 1, x), f.axis);
    const auto sum_behind = [&](term terms) { return call_routine<cumsum>(form{f.axis, true}, terms); };
    const term slopes = sum_behind(b.seed() * b.result()) / kt::where(is_zero, 1, x);
    b.add(0, kt::where(is_first, sum_behind(b.seed() * others), kt::where(is_zero, 0, slopes)));
  }
};
}  // namespace ops

constexpr term cumprod(term x, int axis) { return call_routine<ops::cumprod>(along_form{axis}, x); }

/// Products up to each index along an axis: `kt::cumprod(x, kt::axis<1>)` of {{1, 2, 3}} is {{1, 2, 6}}. Products of
/// narrow integers are 64 bits wide.
template <tensor_like X, class Axes = graph::in_braces>
  requires(!std::is_same_v<X, term>)
constexpr auto cumprod(const X& x, Axes axis) { return layer_of_tensors<X>::template along<ops::cumprod>(x, axis); }
/// The same of a vector: `kt::cumprod(x)`.
template <tensor_like X>
constexpr auto cumprod(const X& x) {
  return layer_of_tensors<X>::template along<ops::cumprod>(x);
}

}  // namespace kroton
