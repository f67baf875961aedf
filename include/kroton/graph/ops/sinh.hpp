// This header has the operation sinh: hyperbolic sine.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct sinh : elementwise<sinh, 1, operands::floating> {
  static constexpr const char* name = "sinh";
  static constexpr int cost = 16;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::sinh;
    return sinh(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * kt::cosh(b.operand(0)));
  }
};
}  // namespace ops

/// Hyperbolic sine; elementwise: `kt::sinh(x)`.
template <tensor_like X>
constexpr mapped<ops::sinh, X> sinh(const X& x) {
  return layer_of<X>::template map<ops::sinh>(x);
}

}  // namespace kroton
