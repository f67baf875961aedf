// This header has the operation div: quotient; of integers truncated towards 0, and 0 when divided by 0.
#pragma once

#include <kroton/graph/elementwise.hpp>
#include <kroton/graph/ops/mul.hpp>
#include <kroton/graph/ops/neg.hpp>

namespace kroton {
namespace ops {
struct div : elementwise<div, 2, operands::numeric> {
  static constexpr const char* name = "div";
  static constexpr int cost = 4;
  static constexpr bool foldable_integers = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x, const V& y) {
    using simd::quotient;
    return quotient(x, y);
  }
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(0)) b.add(0, b.seed() / b.operand(1));
    if (b.wants(1)) b.add(1, -b.seed() * b.result() / b.operand(1));
  }
};
}  // namespace ops

/// Quotient; of integers truncated towards 0, and 0 when divided by 0; elementwise with broadcasting: `x / y`.
template <class X, class Y>
  requires operand_pair<X, Y>
constexpr mapped<ops::div, X, Y> operator/(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::div>(x, y);
}

}  // namespace kroton
