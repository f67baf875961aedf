// This header has the operation isnan: whether x is not a number.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct isnan : elementwise<isnan, 1, operands::floating> {
  static constexpr const char* name = "isnan";
  static constexpr int cost = 1;
  static constexpr dtype result(const dtype*, int) { return dtype::boolean; }
  template <class V>
  static constexpr KROTON_HD auto apply(const V& x) {
    return x != x;
  }
};
}  // namespace ops

/// Whether x is not a number; elementwise, a tensor of bool: `kt::isnan(x)`.
template <tensor_like X>
constexpr mapped<ops::isnan, X> isnan(const X& x) {
  return layer_of<X>::template map<ops::isnan>(x);
}

}  // namespace kroton
