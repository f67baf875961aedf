// This header has the operation atan: inverse tangent, in radians.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct atan : elementwise<atan, 1, operands::floating> {
  static constexpr const char* name = "atan";
  static constexpr int cost = 20;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::atan;
    return atan(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() / (1 + kt::sqr(b.operand(0))));
  }
};
}  // namespace ops

/// Inverse tangent, in radians; elementwise: `kt::atan(x)`.
template <tensor_like X>
constexpr mapped<ops::atan, X> atan(const X& x) {
  return layer_of<X>::template map<ops::atan>(x);
}

}  // namespace kroton
