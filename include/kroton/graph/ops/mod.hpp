// Remainder of the division, with the sign of y (Python's %).
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct mod : elementwise<mod, 2, operands::numeric> {
  static constexpr const char* name = "mod";
  static constexpr int cost = 8;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x, const V& y) {
    using simd::remainder;
    return with_sign_of(y, V(remainder(x, y)));
  }
  /// Without locals: GPUs have no packs, and their compiler looks at this all the same. r - r is 0, or NaN where r is, which is the result then.
  template <class V>
  static constexpr KROTON_HD V with_sign_of(const V& y, const V& r) {
    using simd::select;
    return select((r != r - r) & ((r < r - r) ^ (y < r - r)), V(r + y), r);
  }
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(0)) b.add(0, b.seed());
    if (b.wants(1)) b.add(1, -b.seed() * kt::floor(b.operand(0) / b.operand(1)));
  }
};
}  // namespace ops

/// Remainder of the division, with the sign of y (Python's %); elementwise with broadcasting.
template <tensor_like X, tensor_like Y>
constexpr mapped<ops::mod, X, Y> mod(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::mod>(x, y);
}

}  // namespace kroton
