// This header has the operations gelu_tanh, an approximation of gelu, and gelu_tanh_derivative. They are operations,
// because libraries of matrix products compute both.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct gelu_tanh_derivative : elementwise<gelu_tanh_derivative, 1, operands::floating> {
  static constexpr const char* name = "gelu_tanh_derivative";
  static constexpr int cost = 24;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::gelu_tanh_derivative;
    return gelu_tanh_derivative(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    using by = simd::gelu_tanh_constants;
    const auto t = kt::minimum(kt::maximum(b.operand(0), -by::limit), by::limit), square = kt::sqr(t);
    const auto s = kt::sigmoid(t * (by::first + by::third * square)), slope = by::first + 3 * by::third * square;
    b.add(0, b.seed() * (s * (1 - s) * (2 * slope + t * ((1 - 2 * s) * kt::sqr(slope) + 6 * by::third * t))));
  }
};

struct gelu_tanh : elementwise<gelu_tanh, 1, operands::floating> {
  static constexpr const char* name = "gelu_tanh";
  static constexpr int cost = 20;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::gelu_tanh;
    return gelu_tanh(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * graph_layer::map<gelu_tanh_derivative>(b.operand(0)));
  }
};
}  // namespace ops

}  // namespace kroton
