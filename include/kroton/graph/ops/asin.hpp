// This header has the operation asin: inverse sine, in radians; NaN outside [-1, 1].
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct asin : elementwise<asin, 1, operands::floating> {
  static constexpr const char* name = "asin";
  static constexpr int cost = 20;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::asin;
    return asin(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() / kt::sqrt(1 - kt::sqr(b.operand(0))));
  }
};
}  // namespace ops

/// Inverse sine, in radians; NaN outside [-1, 1]; elementwise: `kt::asin(x)`.
template <tensor_like X>
constexpr mapped<ops::asin, X> asin(const X& x) {
  return layer_of<X>::template map<ops::asin>(x);
}

}  // namespace kroton
