// This header has the operations take, rows by index, and scatter_add, its inverse: rows added at indices.
#pragma once

#include <kroton/graph/ops/index_check.hpp>

namespace kroton {

namespace graph {
constexpr term take_term(term x, term index);
constexpr term take_known_term(term x, term index);
constexpr term scatter_term(term index, term rows, const shape& target);
}  // namespace graph

namespace ops {
/// Operands: x (n, ...), index (shape S of integers in [0, n)). Result: S + (...).
struct take {
  static constexpr op_kind kind = op_kind::take;
  static constexpr const char* name = "take";
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, scatter_term(b.operand(1), b.seed(), b.operand(0).extents()));
  }
};
/// Operands: index (S), rows S + (...). Result (n, ...): zeros, to which each row is added at its index, in order.
struct scatter_add {
  static constexpr op_kind kind = op_kind::scatter_add;
  static constexpr const char* name = "scatter_add";
  static constexpr operands takes = operands::numeric;
  template <class B>
  static constexpr void backward(B& b) {
    if (b.wants(1)) b.add(1, take_term(b.seed(), b.operand(0)));
  }
};
}  // namespace ops

namespace graph {
constexpr shape taken(const shape& x, const shape& index) {
  shape result = index;
  for (int i = 1; i < x.rank; ++i) result.append(x[i]);
  return result;
}

constexpr term take_term(term x, term index) { return take_known_term(x, check_index(index, x.extents()[0])); }
/// The same at indices that are known to be rows of `x`.
constexpr term take_known_term(term x, term index) {
  const int ids[] = {x.id, index.id};
  return graph_layer::record<ops::take>(*x.owner, x.type(), taken(x.extents(), index.extents()), {}, ids, 2);
}

constexpr term scatter_term(term index, term rows, const shape& target) {
  const int ids[] = {index.id, rows.id};
  return graph_layer::record<ops::scatter_add>(*rows.owner, rows.type(), target, {}, ids, 2);
}
}  // namespace graph

/// `take(x, index)`: the rows (slices along axis 0) of `x` at `index`, a tensor of integers.
/// An index outside [0, rows) is an `index_error` at the call, before anything changes.
template <tensor_like X, tensor_like I>
constexpr auto take(const X& x, const I& index) {
  return layer_of_tensors<X, I>::take(x, index);
}

}  // namespace kroton
