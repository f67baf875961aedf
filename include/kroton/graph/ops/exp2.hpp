// This header has the operation exp2: 2 to the power x.
#pragma once

#include <kroton/graph/elementwise.hpp>

#include <numbers>

namespace kroton {
namespace ops {
struct exp2 : elementwise<exp2, 1, operands::floating> {
  static constexpr const char* name = "exp2";
  static constexpr int cost = 12;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::exp2;
    return exp2(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * b.result() * std::numbers::ln2);
  }
};
}  // namespace ops

/// 2 to the power x; elementwise: `kt::exp2(x)`.
template <tensor_like X>
constexpr mapped<ops::exp2, X> exp2(const X& x) {
  return layer_of<X>::template map<ops::exp2>(x);
}

}  // namespace kroton
