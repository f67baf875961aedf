// x to the power y, special cases as in C.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct pow : elementwise<pow, 2, operands::floating> {
  static constexpr const char* name = "pow";
  static constexpr int cost = 40;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x, const V& y) {
    using std::pow;
    return pow(x, y);
  }
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(0)) b.add(0, b.seed() * b.operand(1) * kt::pow(b.operand(0), b.operand(1) - 1));
    if (b.wants(1)) {
      // 0 is also kept from the logarithm, whose own derivative would make a NaN of the zero that `where` sends there
      const term zero = b.operand(0) == 0;
      b.add(1, b.seed() * kt::where(zero, 0, b.result() * kt::log(kt::where(zero, 1, b.operand(0)))));
    }
  }
};
}  // namespace ops

/// x to the power y, special cases as in C; elementwise with broadcasting.
template <class X, class Y>
  requires operand_pair<X, Y>
constexpr mapped<ops::pow, X, Y> pow(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::pow>(x, y);
}

}  // namespace kroton
