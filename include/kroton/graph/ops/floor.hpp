// This header has the operation floor: the largest whole number not above x.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct floor : elementwise<floor, 1, operands::floating> {
  static constexpr const char* name = "floor";
  static constexpr int cost = 1;
  static constexpr bool piecewise_constant = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::floor;
    return floor(x);
  }
};
}  // namespace ops

/// The largest whole number not above x; elementwise: `kt::floor(x)`.
template <tensor_like X>
constexpr mapped<ops::floor, X> floor(const X& x) {
  return layer_of<X>::template map<ops::floor>(x);
}

}  // namespace kroton
