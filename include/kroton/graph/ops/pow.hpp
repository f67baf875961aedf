// This header has the operation pow: x to the power y, special cases as in C.
#pragma once

#include <kroton/graph/elementwise.hpp>
#include <kroton/graph/ops/constant.hpp>
#include <kroton/graph/ops/equal.hpp>
#include <kroton/graph/ops/greater_equal.hpp>
#include <kroton/graph/ops/less.hpp>
#include <kroton/graph/ops/logical_and.hpp>
#include <kroton/graph/ops/mul.hpp>
#include <kroton/graph/ops/sub.hpp>

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
    const term x = b.operand(0), y = b.operand(1);
    if (b.wants(0)) {
      // to the power 0 it is 1 everywhere, also near 0, where x^(y-1) is infinite
      if (is_constant(y)) {
        const double power = constant_value(y.get());
        if (power != 0) b.add(0, b.seed() * y * kt::pow(x, power - 1));
      } else {
        const double least = x.type() == dtype::float64 ? 0x1p-1022 : 0x1p-126;  // whose reciprocal is finite
        const term flat = (y == 0) && (kt::abs(x) < least);
        b.add(0, b.seed() * kt::where(flat, 0, y * kt::pow(kt::where(flat, 1, x), y - 1)));
      }
    }
    if (b.wants(1)) {
      // 0 is also kept from the logarithm, whose own derivative would make a NaN of the zero that `where` sends there
      const term zero = (x == 0) && (y >= 0);
      b.add(1, b.seed() * kt::where(zero, 0, b.result() * kt::log(kt::where(zero, 1, x))));
    }
  }
};
}  // namespace ops

/// x to the power y, special cases as in C; elementwise with broadcasting: `kt::pow(x, y)`.
template <tensor_like X, tensor_like Y>
constexpr mapped<ops::pow, X, Y> pow(const X& x, const Y& y) {
  return layer_of<X, Y>::template map<ops::pow>(x, y);
}

}  // namespace kroton
