// This header has the operation sigmoid: 1 / (1 + exp(-x)) over the whole range.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct sigmoid : elementwise<sigmoid, 1, operands::floating> {
  static constexpr const char* name = "sigmoid";
  static constexpr int cost = 14;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::sigmoid;
    return sigmoid(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * b.result() * (1 - b.result()));
  }
};
}  // namespace ops

/// 1 / (1 + exp(-x)) over the whole range; elementwise: `kt::sigmoid(x)`.
template <tensor_like X>
constexpr mapped<ops::sigmoid, X> sigmoid(const X& x) {
  return layer_of<X>::template map<ops::sigmoid>(x);
}

}  // namespace kroton
