// This header has the operation acos: inverse cosine, in radians; NaN outside [-1, 1].
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct acos : elementwise<acos, 1, operands::floating> {
  static constexpr const char* name = "acos";
  static constexpr int cost = 20;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::acos;
    return acos(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, -b.seed() / kt::sqrt(1 - kt::sqr(b.operand(0))));
  }
};
}  // namespace ops

/// Inverse cosine, in radians; NaN outside [-1, 1]; elementwise: `kt::acos(x)`.
template <tensor_like X>
constexpr mapped<ops::acos, X> acos(const X& x) {
  return layer_of<X>::template map<ops::acos>(x);
}

}  // namespace kroton
