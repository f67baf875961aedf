// This header has the operation erfc: 1 - erf(x), exact where erf(x) is near 1.
#pragma once

#include <kroton/graph/elementwise.hpp>

#include <numbers>

namespace kroton {
namespace ops {
struct erfc : elementwise<erfc, 1, operands::floating> {
  static constexpr const char* name = "erfc";
  static constexpr int cost = 16;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::erfc;
    return erfc(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * (-2 * std::numbers::inv_sqrtpi) * kt::exp(-kt::sqr(b.operand(0))));
  }
};
}  // namespace ops

/// 1 - erf(x), exact where erf(x) is near 1; elementwise: `kt::erfc(x)`.
template <tensor_like X>
constexpr mapped<ops::erfc, X> erfc(const X& x) {
  return layer_of<X>::template map<ops::erfc>(x);
}

}  // namespace kroton
