// This header has the operation log1p: natural logarithm of 1 + x, exact near 0.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct log1p : elementwise<log1p, 1, operands::floating> {
  static constexpr const char* name = "log1p";
  static constexpr int cost = 14;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::log1p;
    return log1p(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() / (1 + b.operand(0)));
  }
};
}  // namespace ops

/// Natural logarithm of 1 + x, exact near 0; elementwise: `kt::log1p(x)`.
template <tensor_like X>
constexpr mapped<ops::log1p, X> log1p(const X& x) {
  return layer_of<X>::template map<ops::log1p>(x);
}

}  // namespace kroton
