// This header has the operation abs: absolute value; its derivative at 0 is 0.
#pragma once

#include <kroton/graph/ops/sign.hpp>

namespace kroton {
namespace ops {
struct abs : elementwise<abs, 1, operands::numeric> {
  static constexpr const char* name = "abs";
  static constexpr int cost = 1;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::abs;
    return abs(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * kt::sign(b.operand(0)));
  }
};
}  // namespace ops

/// Absolute value; its derivative at 0 is 0; elementwise: `kt::abs(x)`.
template <tensor_like X>
constexpr mapped<ops::abs, X> abs(const X& x) {
  return layer_of<X>::template map<ops::abs>(x);
}

}  // namespace kroton
