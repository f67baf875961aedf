// This header has the operation expm1: e to the power x, minus 1, exact near 0.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct expm1 : elementwise<expm1, 1, operands::floating> {
  static constexpr const char* name = "expm1";
  static constexpr int cost = 14;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::expm1;
    return expm1(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * (b.result() + 1));
  }
};
}  // namespace ops

/// e to the power x, minus 1, exact near 0; elementwise: `kt::expm1(x)`.
template <tensor_like X>
constexpr mapped<ops::expm1, X> expm1(const X& x) {
  return layer_of<X>::template map<ops::expm1>(x);
}

}  // namespace kroton
