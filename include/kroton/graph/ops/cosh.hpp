// This header has the operation cosh: hyperbolic cosine.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct cosh : elementwise<cosh, 1, operands::floating> {
  static constexpr const char* name = "cosh";
  static constexpr int cost = 16;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::cosh;
    return cosh(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * kt::sinh(b.operand(0)));
  }
};
}  // namespace ops

/// Hyperbolic cosine; elementwise: `kt::cosh(x)`.
template <tensor_like X>
constexpr mapped<ops::cosh, X> cosh(const X& x) {
  return layer_of<X>::template map<ops::cosh>(x);
}

}  // namespace kroton
