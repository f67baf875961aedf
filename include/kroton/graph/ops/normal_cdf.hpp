// This header has the operation normal_cdf: distribution function of the standard normal distribution.
#pragma once

#include <kroton/graph/ops/normal_pdf.hpp>

namespace kroton {
namespace ops {
struct normal_cdf : elementwise<normal_cdf, 1, operands::floating> {
  static constexpr const char* name = "normal_cdf";
  static constexpr int cost = 24;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::normal_cdf;
    return normal_cdf(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * kt::normal_pdf(b.operand(0)));
  }
};
}  // namespace ops

/// The probability that a standard normal variable is at most x, exact also where it is small; elementwise:
/// `kt::normal_cdf(x)`.
template <tensor_like X>
constexpr mapped<ops::normal_cdf, X> normal_cdf(const X& x) {
  return layer_of<X>::template map<ops::normal_cdf>(x);
}

}  // namespace kroton
