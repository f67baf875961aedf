// This header has the operation sub: difference.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct sub : elementwise<sub, 2, operands::numeric> {
  static constexpr const char* name = "sub";
  static constexpr int cost = 1;
  static constexpr bool foldable = true;
  static constexpr bool linear = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x, const V& y) {
    using simd::wrapped_difference;
    return wrapped_difference(x, y);
  }
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(0)) b.add(0, b.seed());
    if (b.wants(1)) b.add(1, -b.seed());
  }
};
}  // namespace ops

/// Difference; elementwise with broadcasting: `x - y`.
template <class X, class Y>
  requires operand_pair<X, Y>
constexpr mapped<ops::sub, X, Y> operator-(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::sub>(x, y);
}

}  // namespace kroton
