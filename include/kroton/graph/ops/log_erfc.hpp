// This header has the operation log_erfc: logarithm of 1 - erf(x), over the whole range.
#pragma once

#include <kroton/graph/ops/add.hpp>
#include <kroton/graph/ops/constant.hpp>
#include <kroton/graph/ops/div.hpp>
#include <kroton/graph/ops/erfc.hpp>
#include <kroton/graph/ops/less.hpp>
#include <kroton/graph/ops/mul.hpp>
#include <kroton/graph/ops/neg.hpp>
#include <kroton/graph/ops/where.hpp>

#include <numbers>

namespace kroton {

namespace graph {
// The tail of erfc, where it and exp(-x*x) are 0 and their quotient is not.
namespace stable {
constexpr term tail_series(term x) {
  const term r = 1 / sqr(x);
  return 1 + r * (-0.5 + r * (0.75 + r * (-1.875 + 6.5625 * r)));
}
/// From where on erfc is its asymptotic series: the series is exact to rounding, and erfc and its reciprocal are no
/// denormals.
constexpr double tail_start(term x) {
  return x.type() == dtype::float64 ? simd::erfc_tail_start<double> : static_cast<double>(simd::erfc_tail_start<float>);
}
/// `x` where the formula for this side of the start applies, else the start. By `where`, through which NaN has a
/// derivative.
constexpr term near(term x) { return where(x < tail_start(x), x, tail_start(x)); }
constexpr term far(term x) { return where(x < tail_start(x), tail_start(x), x); }
/// The limit of exp(-x*x) / erfc(x) in the tail.
constexpr term tail_ratio(term tail) { return tail / std::numbers::inv_sqrtpi / tail_series(tail); }
}  // namespace stable
}  // namespace graph

namespace ops {
struct log_erfc : elementwise<log_erfc, 1, operands::floating> {
  static constexpr const char* name = "log_erfc";
  static constexpr int cost = 40;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using simd::log_erfc;
    return log_erfc(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    const term x = b.operand(0), body = stable::near(x);
    const term ratio = kt::where(x < stable::tail_start(x), kt::exp(-kt::sqr(body)) / kt::erfc(body),
                                 stable::tail_ratio(stable::far(x)));
    b.add(0, b.seed() * (-2 * std::numbers::inv_sqrtpi) * ratio);
  }
};
}  // namespace ops

/// log(erfc(x)) over the whole range, also where erfc(x) is near 1 or underflows; elementwise: `kt::log_erfc(x)`.
template <tensor_like X>
constexpr mapped<ops::log_erfc, X> log_erfc(const X& x) {
  return layer_of<X>::template map<ops::log_erfc>(x);
}

}  // namespace kroton
