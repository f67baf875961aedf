// This header has the operation normal_pdf: density of the standard normal distribution. It is an operation, because it
// has an exponential in common with normal_cdf, which a kernel of both computes once.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct normal_pdf : elementwise<normal_pdf, 1, operands::floating> {
  static constexpr const char* name = "normal_pdf";
  static constexpr int cost = 12;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::normal_pdf;
    return normal_pdf(x);
  }
  /// The density is 0 beyond the limit, in double too, and infinity times it would be NaN.
  template <class B>
  static constexpr void backward(B& b) {
    constexpr double limit = simd::normal_limit;
    b.add(0, b.seed() * -kt::minimum(kt::maximum(b.operand(0), -limit), limit) * b.result());
  }
};
}  // namespace ops

/// The density of the standard normal distribution at x, exact also where it is small; elementwise:
/// `kt::normal_pdf(x)`.
template <tensor_like X>
constexpr mapped<ops::normal_pdf, X> normal_pdf(const X& x) {
  return layer_of<X>::template map<ops::normal_pdf>(x);
}

}  // namespace kroton
