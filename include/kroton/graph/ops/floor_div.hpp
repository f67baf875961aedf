// This header has the operation floor_div: quotient rounded down (Python's //), which kt::mod is the remainder of.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct floor_div : elementwise<floor_div, 2, operands::numeric> {
  static constexpr const char* name = "floor_div";
  static constexpr int cost = 10;
  static constexpr bool foldable_integers = true;
  static constexpr bool piecewise_constant = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x, const V& y) {
    using simd::floor_quotient;
    return floor_quotient(x, y);
  }
};
}  // namespace ops

/// Quotient rounded down (Python's //), so that x is floor_div(x, y) * y + mod(x, y); of integers 0 when divided by 0,
/// of floats an infinity or NaN; elementwise with broadcasting: `kt::floor_div(x, y)`.
template <tensor_like X, tensor_like Y>
constexpr mapped<ops::floor_div, X, Y> floor_div(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::floor_div>(x, y);
}

}  // namespace kroton
