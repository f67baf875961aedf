// This header has the operation grad_clip: x, whose gradient is clipped to [low, high].
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct grad_clip : elementwise<grad_clip, 1, operands::floating> {
  static constexpr const char* name = "grad_clip";
  static constexpr bool identity_value = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    return x;
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, kt::minimum(kt::maximum(b.seed(), clip_form::of(b.attr()).low), clip_form::of(b.attr()).high));
  }
};
}  // namespace ops

/// The operand `x`, whose gradient is clipped to [low, high]: `kt::grad_clip(x, -1, 1)`.
template <symbolic X>
constexpr auto grad_clip(const X& x, double low, double high) {
  return X::layer::template hook<ops::grad_clip>(x, graph::clip_form{low, high});
}

}  // namespace kroton
