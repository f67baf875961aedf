// This header has the operation argmax: index of the largest element, the first of equals; of the first NaN if there is
// one.
#pragma once

#include <kroton/graph/reduction.hpp>

namespace kroton {
namespace ops {
struct argmax : reduction<operands::numeric> {
  static constexpr const char* name = "argmax";
  static constexpr bool needs_elements = true;
  static constexpr dtype result(dtype) { return dtype::int64; }
  /// Whether candidate `x`, at a later index, replaces `y`.
  template <class V>
  static constexpr KROTON_HD auto replaces(const V& x, const V& y) {
    return (x > y) | ((x != x) & (y == y));
  }
};
}  // namespace ops

constexpr term argmax(term x, std::int64_t mask) { return graph::reduce_term<ops::argmax>(x, mask); }

/// Index of the largest element, the first of equals; of the first NaN if there is one, over all axes, to a scalar:
/// `kt::argmax(x)`.
template <tensor_like X>
constexpr auto argmax(const X& x) {
  return layer_of<X>::template reduce_all<ops::argmax>(x);
}

/// Index of the largest element, the first of equals; of the first NaN if there is one, over some axes: `argmax(x,
/// axis<1>)`, `argmax(x, axis<0, 2>, keep_dims)`.
template <tensor_like X, class Axes = graph::in_braces, class... Keep>
  requires(!std::is_same_v<X, term> || graph::is_axes<Axes>)
constexpr auto argmax(const X& x, Axes axes, Keep... keep) {
  return layer_of<X>::template reduce<ops::argmax>(x, axes, keep...);
}

}  // namespace kroton
