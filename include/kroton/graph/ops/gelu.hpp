// Gaussian error linear unit: x times the probability that a standard normal variable is at most x.
#pragma once

#include <kroton/graph/elementwise.hpp>

#include <numbers>

namespace kroton {
namespace ops {
struct gelu : elementwise<gelu, 1, operands::floating> {
  static constexpr const char* name = "gelu";
  static constexpr int cost = 20;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::gelu;
    return gelu(x);
  }
  /// The density is 0 beyond the limit, in double too, and infinity times it would be NaN.
  template <class B>
  static constexpr void backward(B& b) {
    constexpr double limit = -simd::gelu_limit, root = 0.5 * std::numbers::sqrt2;
    const auto x = b.operand(0), t = kt::minimum(kt::maximum(x, -limit), limit);
    b.add(0, b.seed() * (0.5 * kt::erfc(-root * x) + root * std::numbers::inv_sqrtpi * t * kt::exp(-0.5 * kt::sqr(t))));
  }
};
}  // namespace ops

}  // namespace kroton
