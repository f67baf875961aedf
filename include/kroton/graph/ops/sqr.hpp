// This header has the operation sqr: square.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct sqr : elementwise<sqr, 1, operands::numeric> {
  static constexpr const char* name = "sqr";
  static constexpr int cost = 1;
  static constexpr bool foldable = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::wrapped_product;
    return wrapped_product(x, x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * 2 * b.operand(0));
  }
};
}  // namespace ops

/// Square; elementwise: `kt::sqr(x)`.
template <tensor_like X>
constexpr mapped<ops::sqr, X> sqr(const X& x) {
  return layer_of<X>::template map<ops::sqr>(x);
}

}  // namespace kroton
