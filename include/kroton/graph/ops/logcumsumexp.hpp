// This header has the operation logcumsumexp: the logarithms of the sums of exponentials up to each index along an
// axis.
#pragma once

#include <kroton/graph/axes.hpp>
#include <kroton/graph/ops/exp.hpp>
#include <kroton/graph/ops/log.hpp>
#include <kroton/graph/ops/maximum.hpp>
#include <kroton/graph/ops/neg.hpp>
#include <kroton/graph/ops/sub.hpp>
#include <kroton/graph/reduction.hpp>
#include <kroton/graph/running.hpp>

#include <cmath>
#include <limits>

namespace kroton {

namespace graph {
/// log(exp(x) + exp(y)), without overflow.
struct log_added {
  template <class T>
  using sum_of = added::sum_of<T>;
  template <class Sum>
  static constexpr Sum nothing = -std::numeric_limits<Sum>::infinity();
  template <class Sum>
  KROTON_HD static Sum join(const Sum& x, const Sum& y) {
    const Sum larger = x > y ? x : y, less = x > y ? y : x;
    if (less == nothing<Sum>) return larger;
    return x == y ? x + Sum(0.693147180559945309417) : larger + std::log1p(std::exp(less - larger));
  }
};
}  // namespace graph

namespace ops {

/// Attributes: along_form. Floats are added in double, 16-bit floats in float.
struct logcumsumexp : running<logcumsumexp, log_added, operands::floating> {
  static constexpr const char* name = "logcumsumexp";
  static constexpr int cost = 40;
  template <class B>
  static constexpr void backward(B& b) {
    // exp(x) * sum of g exp(-y) behind, for the positive and the negative part of g, in logarithms
    const form f = form::of(b.attr());
    const auto x = b.operand(0), y = b.result();  // of types that depend on B, so that clang waits for B, too
    const auto part = [&](term g) {
      return kt::exp(x + call_routine<logcumsumexp>(form{f.axis, !f.reversed}, kt::log(kt::maximum(g, 0)) - y));
    };
    b.add(0, part(b.seed()) - part(-b.seed()));
  }
};
}  // namespace ops

/// log(exp(x_0) + ... + exp(x_i)) for each index i along an axis, without overflow: `kt::logcumsumexp(x, kt::axis<1>)`.
template <tensor_like X, class Axes = graph::in_braces>
  requires(!std::is_same_v<X, term>)
constexpr auto logcumsumexp(const X& x, Axes axis) {
  return layer_of_tensors<X>::template along<ops::logcumsumexp>(x, axis);
}
/// The same of a vector: `kt::logcumsumexp(x)`.
template <tensor_like X>
constexpr auto logcumsumexp(const X& x) {
  return layer_of_tensors<X>::template along<ops::logcumsumexp>(x);
}

}  // namespace kroton
