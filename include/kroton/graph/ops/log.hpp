// This header has the operation log: natural logarithm; -inf at 0, NaN below.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct log : elementwise<log, 1, operands::floating> {
  static constexpr const char* name = "log";
  static constexpr int cost = 12;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    using std::log;
    return log(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() / b.operand(0));
  }
};
}  // namespace ops

/// Natural logarithm; -inf at 0, NaN below; elementwise: `kt::log(x)`.
template <tensor_like X>
constexpr mapped<ops::log, X> log(const X& x) {
  return layer_of<X>::template map<ops::log>(x);
}

}  // namespace kroton
