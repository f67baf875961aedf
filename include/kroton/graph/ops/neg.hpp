// Negative.
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
    if constexpr (simd::integer<V>) return simd::wrapped_difference(V(0), x);
    else return -x;
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, -b.seed());
  }
};
}  // namespace ops

/// Negative; elementwise.
template <symbolic X>
constexpr mapped<ops::neg, X> operator-(const X& x) {
  return layer_of<X>::template map<ops::neg>(x);
}

}  // namespace kroton
