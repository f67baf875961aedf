// This header has the operation normal_quantile: inverse of the distribution function of the standard normal
// distribution.
#pragma once

#include <kroton/arithmetic/simd/normal_quantile.hpp>
#include <kroton/graph/elementwise.hpp>

#include <numbers>

namespace kroton {
namespace ops {
struct normal_quantile : elementwise<normal_quantile, 1, operands::floating> {
  static constexpr const char* name = "normal_quantile";
  static constexpr int cost = 50;
  template <class V>
  static KROTON_HD V apply(const V& p) {
    return simd::normal_quantile(p);
  }
  template <class B>
  static constexpr void backward(B& b) {
    constexpr double reciprocal = std::numbers::sqrt2 / std::numbers::inv_sqrtpi;
    b.add(0, b.seed() * reciprocal * kt::exp(0.5 * kt::sqr(b.result())));
  }
};
}  // namespace ops

/// The number that a standard normal variable is at most with probability p, the inverse of `kt::normal_cdf`;
/// elementwise: `kt::normal_quantile(p)`. NaN outside [0, 1].
template <tensor_like X>
constexpr mapped<ops::normal_quantile, X> normal_quantile(const X& p) {
  return layer_of<X>::template map<ops::normal_quantile>(p);
}

}  // namespace kroton
