// This header has the operation atanh: inverse hyperbolic tangent; NaN outside [-1, 1].
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct atanh : elementwise<atanh, 1, operands::floating> {
  static constexpr const char* name = "atanh";
  static constexpr int cost = 20;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::atanh;
    return atanh(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() / (1 - kt::sqr(b.operand(0))));
  }
};
}  // namespace ops

/// Inverse hyperbolic tangent; NaN outside [-1, 1]; elementwise: `kt::atanh(x)`.
template <tensor_like X>
constexpr mapped<ops::atanh, X> atanh(const X& x) {
  return layer_of<X>::template map<ops::atanh>(x);
}

}  // namespace kroton
