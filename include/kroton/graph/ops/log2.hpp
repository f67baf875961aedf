// This header has the operation log2: logarithm to base 2.
#pragma once

#include <kroton/graph/elementwise.hpp>

#include <numbers>

namespace kroton {
namespace ops {
struct log2 : elementwise<log2, 1, operands::floating> {
  static constexpr const char* name = "log2";
  static constexpr int cost = 12;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::log2;
    return log2(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() / (b.operand(0) * std::numbers::ln2));
  }
};
}  // namespace ops

/// Logarithm to base 2; elementwise: `kt::log2(x)`.
template <tensor_like X>
constexpr mapped<ops::log2, X> log2(const X& x) {
  return layer_of<X>::template map<ops::log2>(x);
}

}  // namespace kroton
