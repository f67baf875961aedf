// This header has the operation asinh: inverse hyperbolic sine.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct asinh : elementwise<asinh, 1, operands::floating> {
  static constexpr const char* name = "asinh";
  static constexpr int cost = 20;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::asinh;
    return asinh(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() / kt::sqrt(1 + kt::sqr(b.operand(0))));
  }
};
}  // namespace ops

/// Inverse hyperbolic sine; elementwise: `kt::asinh(x)`.
template <tensor_like X>
constexpr mapped<ops::asinh, X> asinh(const X& x) {
  return layer_of<X>::template map<ops::asinh>(x);
}

}  // namespace kroton
