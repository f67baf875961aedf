// This header has the operation logical_not: whether x is false.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct logical_not : elementwise<logical_not, 1, operands::boolean> {
  static constexpr const char* name = "logical_not";
  static constexpr int cost = 1;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    return !x;
  }
};
}  // namespace ops

/// Whether x is false; elementwise on a tensor of bool: `!x`.
template <symbolic X>
constexpr mapped<ops::logical_not, X> operator!(const X& x) {
  return layer_of<X>::template map<ops::logical_not>(x);
}

}  // namespace kroton
