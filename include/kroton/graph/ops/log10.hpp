// This header has the operation log10: logarithm to base 10.
#pragma once

#include <kroton/graph/elementwise.hpp>

#include <numbers>

namespace kroton {
namespace ops {
struct log10 : elementwise<log10, 1, operands::floating> {
  static constexpr const char* name = "log10";
  static constexpr int cost = 12;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::log10;
    return log10(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() / (b.operand(0) * std::numbers::ln10));
  }
};
}  // namespace ops

/// Logarithm to base 10; elementwise: `kt::log10(x)`.
template <tensor_like X>
constexpr mapped<ops::log10, X> log10(const X& x) {
  return layer_of<X>::template map<ops::log10>(x);
}

}  // namespace kroton
