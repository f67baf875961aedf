// This header has the operation atan2: angle of the point (y, x), in radians: atan2(y, x).
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct atan2 : elementwise<atan2, 2, operands::floating> {
  static constexpr const char* name = "atan2";
  static constexpr int cost = 24;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x, const V& y) {
    using std::atan2;
    return atan2(x, y);
  }
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(0)) b.add(0, b.seed() * b.operand(1) / (kt::sqr(b.operand(0)) + kt::sqr(b.operand(1))));
    if (b.wants(1)) b.add(1, -b.seed() * b.operand(0) / (kt::sqr(b.operand(0)) + kt::sqr(b.operand(1))));
  }
};
}  // namespace ops

/// Angle of the point (y, x), in radians: atan2(y, x); elementwise with broadcasting. `kt::atan2(y, x)`
template <tensor_like X, tensor_like Y>
constexpr mapped<ops::atan2, X, Y> atan2(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::atan2>(x, y);
}

}  // namespace kroton
