// This header has the operation sign: -1, 0 or 1; NaN and the zeros as they are.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct sign : elementwise<sign, 1, operands::numeric> {
  static constexpr const char* name = "sign";
  static constexpr int cost = 1;
  static constexpr bool piecewise_constant = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::sign;
    return sign(x);
  }
};
}  // namespace ops

/// -1, 0 or 1; NaN and the zeros as they are; elementwise: `kt::sign(x)`.
template <tensor_like X>
constexpr mapped<ops::sign, X> sign(const X& x) {
  return layer_of<X>::template map<ops::sign>(x);
}

}  // namespace kroton
