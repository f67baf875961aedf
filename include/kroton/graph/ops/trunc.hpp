// This header has the operation trunc: x without its fraction.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct trunc : elementwise<trunc, 1, operands::floating> {
  static constexpr const char* name = "trunc";
  static constexpr int cost = 1;
  static constexpr bool piecewise_constant = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::trunc;
    return trunc(x);
  }
};
}  // namespace ops

/// x without its fraction; elementwise: `kt::trunc(x)`.
template <tensor_like X>
constexpr mapped<ops::trunc, X> trunc(const X& x) {
  return layer_of<X>::template map<ops::trunc>(x);
}

}  // namespace kroton
