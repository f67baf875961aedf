// This header has the operation dot: matrix product, with leading batch axes.
#pragma once

#include <kroton/graph/ops/reshape.hpp>
#include <kroton/graph/ops/transpose.hpp>

namespace kroton {

namespace graph {
/// (..., m, k) x (..., k, n) -> (..., m, n); the batch axes agree or one side has none.
template <class Extents>
constexpr shape dot_shape(Extents& table, const shape& x, const shape& y) {
  shape result;
  const shape& batches = x.rank >= y.rank ? x : y;
  for (int i = 0; i < batches.rank - 2; ++i)
    result.append(x.rank == y.rank ? table.unify(x[i], y[i], "dot") : batches[i]);
  table.unify(x[x.rank - 1], y[y.rank - 2], "dot");
  result.append(x[x.rank - 2]);
  result.append(y[y.rank - 1]);
  return result;
}

constexpr term dot_term(term x, term y);
}  // namespace graph

namespace ops {
/// Both operands have rank >= 2; vectors are reshaped before and after.
struct dot {
  static constexpr op_kind kind = op_kind::dot;
  static constexpr const char* name = "dot";
  static constexpr operands takes = operands::floating;
  template <class B>
  static constexpr void backward(B& b) {
    const term x = b.operand(0), y = b.operand(1);
    if (b.wants(0)) b.add(0, dot_term(b.seed(), transpose_term(y, matrix_transpose(y.rank()))));
    if (b.wants(1)) b.add(1, dot_term(transpose_term(x, matrix_transpose(x.rank())), b.seed()));
  }
};
}  // namespace ops

namespace graph {
constexpr term dot_term(term x, term y) {
  graph& g = *x.owner;
  const int ids[] = {x.id, y.id};
  const shape s = dot_shape(g.extents, x.extents(), y.extents());
  return graph_layer::record<ops::dot>(g, x.type(), s, {}, ids, 2);
}
}  // namespace graph

/// Product of vectors and matrices in all combinations, batched for rank >= 3: (n)(n) -> scalar, (m, k)(k) -> (m),
/// (k)(k, n) -> (n), (m, k)(k, n) -> (m, n), (..., m, k)(..., k, n) -> (..., m, n). Floating point only.
/// `kt::dot(x, y)`
template <tensor_like X, tensor_like Y>
constexpr auto dot(const X& x, const Y& y) {
  return layer_of_tensors<X, Y>::dot(x, y);
}

}  // namespace kroton
