// This header has the operation transpose: permutation of the axes.
#pragma once

#include <kroton/graph/term.hpp>

namespace kroton {

namespace graph {
/// Axis `i` of the result is axis `order[i]` of the operand; four bits an axis.
constexpr int permuted_axis(std::int64_t order, int i) { return static_cast<int>((order >> (4 * i)) & 15); }

constexpr std::int64_t inverse_permutation(std::int64_t order, int rank) {
  std::int64_t inverse = 0;
  for (int i = 0; i < rank; ++i) inverse |= static_cast<std::int64_t>(i) << (4 * permuted_axis(order, i));
  return inverse;
}

constexpr std::int64_t identity_permutation(int rank) {
  std::int64_t order = 0;
  for (int i = 0; i < rank; ++i) order |= static_cast<std::int64_t>(i) << (4 * i);
  return order;
}

/// The permutation that swaps the last two axes.
constexpr std::int64_t matrix_transpose(int rank) {
  std::int64_t order = identity_permutation(rank - 2);
  order |= static_cast<std::int64_t>(rank - 1) << (4 * (rank - 2));
  return order | static_cast<std::int64_t>(rank - 2) << (4 * (rank - 1));
}

constexpr shape permuted(const shape& s, std::int64_t order) {
  shape result;
  for (int i = 0; i < s.rank; ++i) result.append(s[permuted_axis(order, i)]);
  return result;
}

constexpr term transpose_term(term x, std::int64_t order);
}  // namespace graph

namespace ops {
/// Attributes: transpose_form.
struct transpose {
  static constexpr op_kind kind = op_kind::transpose;
  static constexpr const char* name = "transpose";
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, transpose_term(b.seed(), inverse_permutation(transpose_form::of(b.attr()).order, b.seed().rank())));
  }
};
}  // namespace ops

namespace graph {
constexpr term transpose_term(term x, std::int64_t order) {
  if (order == identity_permutation(x.rank())) return x;
  return graph_layer::record<ops::transpose>(*x.owner, x.type(), permuted(x.extents(), order), transpose_form{order},
                                             &x.id, 1);
}
}  // namespace graph

/// `transpose(x)`: the axes in reverse order.
template <symbolic X>
constexpr auto transpose(const X& x) {
  return X::layer::transpose(x);
}

/// `permute<2, 0, 1>(x)`: axis i of the result is axis Order[i] of `x`.
template <int... Order, symbolic X>
constexpr auto permute(const X& x) {
  return X::layer::template permute<Order...>(x);
}

}  // namespace kroton
