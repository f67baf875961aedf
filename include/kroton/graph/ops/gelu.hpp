// This header has the operations gelu, x times the probability that a standard normal variable is at most x, and
// gelu_derivative. They are operations, because both are made of one tail.
#pragma once

#include <kroton/graph/ops/normal_pdf.hpp>

namespace kroton {
namespace ops {
struct gelu_derivative : elementwise<gelu_derivative, 1, operands::floating> {
  static constexpr const char* name = "gelu_derivative";
  static constexpr int cost = 24;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::gelu_derivative;
    return gelu_derivative(x);
  }
  /// The density is 0 beyond the limit, in double too, and infinity times it would be NaN.
  template <class B>
  static constexpr void backward(B& b) {
    constexpr double limit = simd::normal_limit;
    const auto square = kt::sqr(kt::minimum(kt::maximum(b.operand(0), -limit), limit));
    b.add(0, b.seed() * (2 - square) * kt::normal_pdf(b.operand(0)));
  }
};

struct gelu : elementwise<gelu, 1, operands::floating> {
  static constexpr const char* name = "gelu";
  static constexpr int cost = 20;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::gelu;
    return gelu(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * graph_layer::map<gelu_derivative>(b.operand(0)));
  }
};
}  // namespace ops

}  // namespace kroton
