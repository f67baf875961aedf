// This header has the operation after: the elements of its second operand, once the first one is known. It keeps what
// is computed again for a gradient from being computed early, and from being the value that it was computed from first.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct after : elementwise<after, 2, operands::any> {
  static constexpr const char* name = "after";
  static constexpr bool linear = true;
  static constexpr bool types_agree(const dtype* types, int) { return types[0] == dtype::boolean; }
  static constexpr dtype result(const dtype* types, int) { return types[1]; }
  template <class C, class V>
  static constexpr KROTON_HD V apply(const C&, const V& x) {
    return x;
  }
  static constexpr double reference(dtype, const double* x, int) { return x[1]; }
  static constexpr std::int64_t integer_reference(dtype, const std::int64_t* x, int) { return x[1]; }
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(1)) b.add(1, b.seed());
  }
};
}  // namespace ops

namespace graph {
/// `x`, once `known`, a scalar of bool, is.
constexpr term after_term(term known, term x) {
  const int ids[] = {known.id, x.id};
  return {x.owner, x.owner->add(op<ops::after>, x.type(), x.get().shape, {}, ids, 2)};
}
}  // namespace graph

}  // namespace kroton
