// This header has the operation tanh: hyperbolic tangent.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct tanh : elementwise<tanh, 1, operands::floating> {
  static constexpr const char* name = "tanh";
  static constexpr int cost = 12;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::tanh;
    return tanh(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * (1 - kt::sqr(b.result())));
  }
};
}  // namespace ops

/// Hyperbolic tangent; elementwise: `kt::tanh(x)`.
template <tensor_like X>
constexpr mapped<ops::tanh, X> tanh(const X& x) {
  return layer_of<X>::template map<ops::tanh>(x);
}

}  // namespace kroton
