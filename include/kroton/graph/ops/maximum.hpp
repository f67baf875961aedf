// This header has the operation maximum: the larger, NaN if either is; the gradient of equals goes to the first.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct maximum : elementwise<maximum, 2, operands::numeric> {
  static constexpr const char* name = "maximum";
  static constexpr int cost = 1;
  static constexpr bool foldable = true;
  static constexpr bool linear = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x, const V& y) {
    using simd::maximum;
    return maximum(x, y);
  }
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(0)) b.add_where(0, b.operand(0) >= b.operand(1), b.seed());
    // the condition holds where operand 1 is larger; that operand need not be kept for it
    if (b.wants(1)) b.add_where(1, b.result() > b.operand(0), b.seed());
  }
};
}  // namespace ops

/// The larger, NaN if either is; the gradient of equals goes to the first; elementwise with broadcasting:
/// `kt::maximum(x, y)`.
template <tensor_like X, tensor_like Y>
constexpr mapped<ops::maximum, X, Y> maximum(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::maximum>(x, y);
}

}  // namespace kroton
