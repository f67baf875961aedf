// This header has the operation erf: error function.
#pragma once

#include <kroton/graph/elementwise.hpp>

#include <numbers>

namespace kroton {
namespace ops {
struct erf : elementwise<erf, 1, operands::floating> {
  static constexpr const char* name = "erf";
  static constexpr int cost = 16;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::erf;
    return erf(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * (2 * std::numbers::inv_sqrtpi) * kt::exp(-kt::sqr(b.operand(0))));
  }
};
}  // namespace ops

/// Error function; elementwise: `kt::erf(x)`.
template <tensor_like X>
constexpr mapped<ops::erf, X> erf(const X& x) {
  return layer_of<X>::template map<ops::erf>(x);
}

}  // namespace kroton
