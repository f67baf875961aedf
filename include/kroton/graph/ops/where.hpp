// Selection by condition; differentiated as a masked select, so that the branch not taken cannot leak a NaN.
#pragma once

#include <kroton/graph/elementwise.hpp>
#include <kroton/graph/ops/constant.hpp>

namespace kroton {
namespace ops {
struct where : elementwise<where, 3, operands::any> {
  static constexpr const char* name = "where";
  static constexpr int cost = 1;
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
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(1)) b.add(1, kt::where(b.operand(0), b.seed(), 0));
    if (b.wants(2)) b.add(2, kt::where(b.operand(0), 0, b.seed()));
  }
};
}  // namespace ops

/// `x` where `condition` (a tensor of bool) holds, else `y`; elementwise with broadcasting.
template <tensor_like C, tensor_like X, tensor_like Y>
constexpr mapped<ops::where, C, X, Y> where(const C& condition, const X& x, const Y& y) {
  return layer_of<C, X, Y>::template map<ops::where>(condition, x, y);
}

/// While one lives, products and quotients of a masked gradient are taken under its mask: the slope of the branch that
/// was not taken may be infinite, and 0 * inf would leak a NaN.
class masked_products {
 public:
  constexpr explicit masked_products(graph& g) : graph_(g), before_(g.masks_sink) { g.masks_sink = true; }
  constexpr ~masked_products() { graph_.masks_sink = before_; }
  masked_products(const masked_products&) = delete;
  masked_products& operator=(const masked_products&) = delete;

 private:
  graph& graph_;
  bool before_;
};

template <class Op>
constexpr term graph_layer::under_mask(graph& g, const term* x, int count) {
  constexpr bool commutes = requires { Op::commutative; };
  for (int side = 0; side < (commutes ? 2 : 1); ++side) {
    const node m = x[side].get();
    if (m.op->id != id_of<ops::where>) continue;
    const term condition{&g, g.operand(x[side].id, 0)}, yes{&g, g.operand(x[side].id, 1)}, no{&g, g.operand(x[side].id, 2)};
    const auto zero = [](term t) { return is_constant(t) && constant_value(t.get()) == 0; };
    if (!zero(yes) && !zero(no)) continue;
    term inner[4] = {};
    for (int i = 0; i < count; ++i) inner[i] = x[i];
    inner[side] = zero(yes) ? no : yes;
    const term value = map_terms<Op>(g, inner, count);
    return zero(yes) ? kroton::where(condition, 0, value) : kroton::where(condition, value, 0);
  }
  return {};
}

}  // namespace kroton
