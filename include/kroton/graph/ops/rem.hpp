// This header has the operation rem: remainder of the division towards 0, with the sign of x (% of C++, and fmod).
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct rem : elementwise<rem, 2, operands::numeric> {
  static constexpr const char* name = "rem";
  static constexpr int cost = 8;
  static constexpr bool foldable_integers = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x, const V& y) {
    using simd::remainder;
    return remainder(x, y);
  }
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(0)) b.add(0, b.seed());
    if (b.wants(1)) b.add(1, -b.seed() * kt::trunc(b.operand(0) / b.operand(1)));
  }
};
}  // namespace ops

/// Remainder of the division towards 0, with the sign of x (% of C++, and fmod of floats): of integers, x is (x / y) *
/// y + rem(x, y), and when divided by 0 it is 0; of floats it is NaN then; elementwise with broadcasting.
/// `kt::rem(x, y)`
template <tensor_like X, tensor_like Y>
constexpr mapped<ops::rem, X, Y> rem(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::rem>(x, y);
}

}  // namespace kroton
