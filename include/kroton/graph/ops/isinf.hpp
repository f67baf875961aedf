// This header has the operation isinf: whether x is infinite.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct isinf : elementwise<isinf, 1, operands::floating> {
  static constexpr const char* name = "isinf";
  static constexpr int cost = 2;
  static constexpr dtype result(const dtype*, int) { return dtype::boolean; }
  template <class V>
  static constexpr KROTON_HD auto apply(const V& x) {
    using std::isinf;
    return isinf(x);
  }
};
}  // namespace ops

/// Whether x is +inf or -inf; elementwise, a tensor of bool: `kt::isinf(x)`.
template <tensor_like X>
constexpr mapped<ops::isinf, X> isinf(const X& x) {
  return layer_of<X>::template map<ops::isinf>(x);
}

}  // namespace kroton
