// This header has the operation mul: product.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct mul : elementwise<mul, 2, operands::numeric> {
  static constexpr const char* name = "mul";
  static constexpr int cost = 1;
  static constexpr bool foldable = true;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x, const V& y) {
    using simd::wrapped_product;
    return wrapped_product(x, y);
  }
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(0)) b.add(0, b.seed() * b.operand(1));
    if (b.wants(1)) b.add(1, b.seed() * b.operand(0));
  }
};
}  // namespace ops

/// Product; elementwise with broadcasting: `x * y`.
template <class X, class Y>
  requires operand_pair<X, Y>
constexpr mapped<ops::mul, X, Y> operator*(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::mul>(x, y);
}

}  // namespace kroton
