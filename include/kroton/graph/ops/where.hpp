// Selection by condition; differentiated as a masked select, so that the branch not taken cannot leak a NaN.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct where : elementwise<where, 3, operands::any> {
  static constexpr const char* name = "where";
  static constexpr int cost = 1;
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
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(1)) b.add(1, kt::where(b.operand(0), b.seed(), 0));
    if (b.wants(2)) b.add(2, kt::where(b.operand(0), 0, b.seed()));
  }
};
}  // namespace ops

/// `x` where `condition` (a tensor of bool) holds, else `y`; elementwise with broadcasting.
template <symbolic C, class X, class Y>
  requires operand_pair<X, Y>
constexpr mapped<ops::where, C, X, Y> where(const C& condition, const X& x, const Y& y) {
  return layer_of<C>::template map<ops::where>(condition, x, y);
}

}  // namespace kroton
