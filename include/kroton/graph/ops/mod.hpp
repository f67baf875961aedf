// This header has the operation mod: remainder of the division rounded down, with the sign of y (Python's %).
#pragma once

#include <kroton/graph/ops/floor_div.hpp>

namespace kroton {
namespace ops {
struct mod : elementwise<mod, 2, operands::numeric> {
  static constexpr const char* name = "mod";
  static constexpr int cost = 8;
  static constexpr bool foldable_integers = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x, const V& y) {
    using simd::floor_remainder;
    return floor_remainder(x, y);
  }
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(0)) b.add(0, b.seed());
    if (b.wants(1)) b.add(1, -b.seed() * kt::floor_div(b.operand(0), b.operand(1)));
  }
};
}  // namespace ops

/// Remainder of the division rounded down, with the sign of y (Python's %): x is floor_div(x, y) * y + mod(x, y).
/// Divided by 0 it is 0 of integers and NaN of floats; elementwise with broadcasting. `kt::mod(x, y)`
template <tensor_like X, tensor_like Y>
constexpr mapped<ops::mod, X, Y> mod(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::mod>(x, y);
}

}  // namespace kroton
