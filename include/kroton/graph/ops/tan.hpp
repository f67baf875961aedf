// This header has the operation tan: tangent of x radians.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct tan : elementwise<tan, 1, operands::floating> {
  static constexpr const char* name = "tan";
  static constexpr int cost = 20;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::tan;
    return tan(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * (1 + kt::sqr(b.result())));
  }
};
}  // namespace ops

/// Tangent of x radians; elementwise: `kt::tan(x)`.
template <tensor_like X>
constexpr mapped<ops::tan, X> tan(const X& x) {
  return layer_of<X>::template map<ops::tan>(x);
}

}  // namespace kroton
