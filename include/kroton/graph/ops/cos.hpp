// This header has the operation cos: cosine of x radians.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct cos : elementwise<cos, 1, operands::floating> {
  static constexpr const char* name = "cos";
  static constexpr int cost = 16;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::cos;
    return cos(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, -b.seed() * kt::sin(b.operand(0)));
  }
};
}  // namespace ops

/// Cosine of x radians; elementwise: `kt::cos(x)`.
template <tensor_like X>
constexpr mapped<ops::cos, X> cos(const X& x) {
  return layer_of<X>::template map<ops::cos>(x);
}

}  // namespace kroton
