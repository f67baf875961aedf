// This header has the operation softplus: log(1 + exp(x)) over the whole range.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct softplus : elementwise<softplus, 1, operands::floating> {
  static constexpr const char* name = "softplus";
  static constexpr int cost = 20;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::softplus;
    return softplus(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * kt::sigmoid(b.operand(0)));
  }
};
}  // namespace ops

/// log(1 + exp(x)) over the whole range; elementwise: `kt::softplus(x)`.
template <tensor_like X>
constexpr mapped<ops::softplus, X> softplus(const X& x) {
  return layer_of<X>::template map<ops::softplus>(x);
}

}  // namespace kroton
