// This header has the operation acosh: inverse hyperbolic cosine; NaN below 1.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct acosh : elementwise<acosh, 1, operands::floating> {
  static constexpr const char* name = "acosh";
  static constexpr int cost = 20;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::acosh;
    return acosh(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() / kt::sqrt(kt::sqr(b.operand(0)) - 1));
  }
};
}  // namespace ops

/// Inverse hyperbolic cosine; NaN below 1; elementwise: `kt::acosh(x)`.
template <tensor_like X>
constexpr mapped<ops::acosh, X> acosh(const X& x) {
  return layer_of<X>::template map<ops::acosh>(x);
}

}  // namespace kroton
