// This header has the operation grad_scale: x, whose gradient is multiplied by a number.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct grad_scale : elementwise<grad_scale, 1, operands::floating> {
  static constexpr const char* name = "grad_scale";
  static constexpr bool identity_value = true;
  static constexpr bool linear = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    return x;
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * scale_form::of(b.attr()).factor);
  }
};
}  // namespace ops

/// The operand `x`, whose gradient is multiplied by a number: `kt::grad_scale(x, -1)`.
template <symbolic X>
constexpr auto grad_scale(const X& x, double factor) {
  return X::layer::template hook<ops::grad_scale>(x, graph::scale_form{factor});
}

}  // namespace kroton
