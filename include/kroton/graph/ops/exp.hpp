// This header has the operation exp: e to the power x.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct exp : elementwise<exp, 1, operands::floating> {
  static constexpr const char* name = "exp";
  static constexpr int cost = 12;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::exp;
    return exp(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * b.result());
  }
};
}  // namespace ops

/// e to the power x; elementwise: `kt::exp(x)`.
template <tensor_like X>
constexpr mapped<ops::exp, X> exp(const X& x) {
  return layer_of<X>::template map<ops::exp>(x);
}

}  // namespace kroton
