// This header has the operation sin: sine of x radians.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct sin : elementwise<sin, 1, operands::floating> {
  static constexpr const char* name = "sin";
  static constexpr int cost = 16;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::sin;
    return sin(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * kt::cos(b.operand(0)));
  }
};
}  // namespace ops

/// Sine of x radians; elementwise: `kt::sin(x)`.
template <tensor_like X>
constexpr mapped<ops::sin, X> sin(const X& x) {
  return layer_of<X>::template map<ops::sin>(x);
}

}  // namespace kroton
