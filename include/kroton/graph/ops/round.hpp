// This header has the operation round: the nearest whole number, halves to the even one.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct round : elementwise<round, 1, operands::floating> {
  static constexpr const char* name = "round";
  static constexpr int cost = 1;
  static constexpr bool piecewise_constant = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::round_half_even;
    return round_half_even(x);
  }
};
}  // namespace ops

/// The nearest whole number, halves to the even one; elementwise: `kt::round(x)`.
template <tensor_like X>
constexpr mapped<ops::round, X> round(const X& x) {
  return layer_of<X>::template map<ops::round>(x);
}

}  // namespace kroton
