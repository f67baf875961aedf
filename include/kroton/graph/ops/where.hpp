// This header has the operation where, which selects by a condition. The branch that is not taken gets no gradient, so
// that it cannot leak a NaN (graph/reach.hpp).
#pragma once

#include <kroton/graph/elementwise.hpp>
#include <kroton/graph/ops/constant.hpp>
#include <kroton/graph/ops/logical_not.hpp>

namespace kroton {
namespace ops {
struct where : elementwise<where, 3, operands::any> {
  static constexpr const char* name = "where";
  static constexpr int cost = 1;
  static constexpr bool linear = true;
  static constexpr bool selects = true;  // the first operand is a condition
  static constexpr bool types_agree(const dtype* types, int) {
    return types[0] == dtype::boolean && types[1] == types[2];
  }
  static constexpr dtype result(const dtype* types, int) { return types[1]; }
  template <class C, class V>
  static constexpr KROTON_HD V apply(const C& condition, const V& x, const V& y) {
    using simd::select;
    return select(condition, x, y);
  }
  static constexpr double reference(dtype, const double* x, int) { return x[0] != 0 ? x[1] : x[2]; }
  static constexpr std::int64_t integer_reference(dtype, const std::int64_t* x, int) { return x[0] != 0 ? x[1] : x[2]; }
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(1)) b.add_where(1, b.operand(0), b.seed());
    if (b.wants(2)) b.add_where(2, !b.operand(0), b.seed());
  }
};
}  // namespace ops

/// `x` where `condition` (a tensor of bool) holds, else `y`; elementwise with broadcasting.
template <tensor_like C, tensor_like X, tensor_like Y>
constexpr mapped<ops::where, C, X, Y> where(const C& condition, const X& x, const Y& y) {
  return layer_of<C, X, Y>::template map<ops::where>(condition, x, y);
}

}  // namespace kroton
