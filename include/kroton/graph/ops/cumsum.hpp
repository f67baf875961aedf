// This header has the operation cumsum: sums of all elements up to each index along an axis.
#pragma once

#include <kroton/graph/axes.hpp>
#include <kroton/graph/reduction.hpp>
#include <kroton/graph/running.hpp>

namespace kroton {
namespace ops {

/// Attributes: along_form. Floats are added in double, 16-bit floats in float, integers in 64 bits, which wrap.
struct cumsum : running<cumsum, added, operands::numeric> {
  static constexpr const char* name = "cumsum";
  static constexpr int cost = 1;
  static constexpr dtype result(const dtype* types, int) { return widened(types[0]); }
  template <class B>
  static constexpr void backward(B& b) {
    const form f = form::of(b.attr());
    b.add(0, call_routine<cumsum>(form{f.axis, !f.reversed}, b.seed()));
  }
};
}  // namespace ops

constexpr term cumsum(term x, int axis) { return call_routine<ops::cumsum>(along_form{axis}, x); }

/// Sums up to each index along an axis: `kt::cumsum(x, kt::axis<1>)` of {{1, 2, 3}} is {{1, 3, 6}}. Sums of narrow
/// integers are 64 bits wide.
template <tensor_like X, class Axes = graph::in_braces>
  requires(!std::is_same_v<X, term>)
constexpr auto cumsum(const X& x, Axes axis) { return layer_of_tensors<X>::template along<ops::cumsum>(x, axis); }
/// The same of a vector: `kt::cumsum(x)`.
template <tensor_like X>
constexpr auto cumsum(const X& x) {
  return layer_of_tensors<X>::template along<ops::cumsum>(x);
}

}  // namespace kroton
