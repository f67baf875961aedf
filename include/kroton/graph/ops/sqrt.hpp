// This header has the operation sqrt: square root; NaN below 0.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct sqrt : elementwise<sqrt, 1, operands::floating> {
  static constexpr const char* name = "sqrt";
  static constexpr int cost = 6;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::sqrt;
    return sqrt(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() / (2 * b.result()));
  }
};
}  // namespace ops

/// Square root; NaN below 0; elementwise: `kt::sqrt(x)`.
template <tensor_like X>
constexpr mapped<ops::sqrt, X> sqrt(const X& x) {
  return layer_of<X>::template map<ops::sqrt>(x);
}

}  // namespace kroton
