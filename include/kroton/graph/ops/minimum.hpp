// This header has the operation minimum: the smaller, NaN if either is; the gradient of equals goes to the first.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct minimum : elementwise<minimum, 2, operands::numeric> {
  static constexpr const char* name = "minimum";
  static constexpr int cost = 1;
  static constexpr bool foldable = true;
  static constexpr bool linear = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x, const V& y) {
    using simd::minimum;
    return minimum(x, y);
  }
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(0)) b.add_where(0, b.operand(0) <= b.operand(1), b.seed());
    if (b.wants(1)) b.add_where(1, b.operand(1) < b.operand(0), b.seed());
  }
};
}  // namespace ops

/// The smaller, NaN if either is; the gradient of equals goes to the first; elementwise with broadcasting:
/// `kt::minimum(x, y)`.
template <tensor_like X, tensor_like Y>
constexpr mapped<ops::minimum, X, Y> minimum(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::minimum>(x, y);
}

}  // namespace kroton
