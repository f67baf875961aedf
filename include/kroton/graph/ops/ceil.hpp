// This header has the operation ceil: the smallest whole number not below x.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct ceil : elementwise<ceil, 1, operands::floating> {
  static constexpr const char* name = "ceil";
  static constexpr int cost = 1;
  static constexpr bool piecewise_constant = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::ceil;
    return ceil(x);
  }
};
}  // namespace ops

/// The smallest whole number not below x; elementwise: `kt::ceil(x)`.
template <tensor_like X>
constexpr mapped<ops::ceil, X> ceil(const X& x) {
  return layer_of<X>::template map<ops::ceil>(x);
}

}  // namespace kroton
