// This header has the operation neg: negative.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct neg : elementwise<neg, 1, operands::numeric> {
  static constexpr const char* name = "neg";
  static constexpr int cost = 1;
  static constexpr bool foldable = true;
  static constexpr bool linear = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::wrapped_negative;
    return wrapped_negative(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, -b.seed());
  }
};
}  // namespace ops

/// Negative; elementwise: `-x`.
template <symbolic X>
constexpr mapped<ops::neg, X> operator-(const X& x) {
  return layer_of<X>::template map<ops::neg>(x);
}

}  // namespace kroton
