// This header has the operation reshape: the same elements, in row-major order, under another shape.
#pragma once

#include <kroton/graph/term.hpp>

namespace kroton {
namespace ops {
struct reshape {
  static constexpr op_kind kind = op_kind::reshape;
  static constexpr const char* name = "reshape";
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, reshape_term(b.seed(), b.operand(0).extents()));
  }
};
}  // namespace ops

namespace graph {
constexpr term reshape_term(term x, const shape& target) {
  if (x.extents() == target) return x;
  return graph_layer::record<ops::reshape>(*x.owner, x.type(), target, {}, &x.id, 1);
}

/// `s` with extent 1 at the axes of `mask`, which it lacks (`keep_dims`).
constexpr shape with_ones(const shape& s, std::int64_t mask) {
  shape result;
  const int rank = s.rank + std::popcount(static_cast<std::uint64_t>(mask));
  for (int axis = 0, from = 0; axis < rank; ++axis) result.append((mask >> axis) & 1 ? 1 : s[from++]);
  return result;
}
/// A vector as a tensor that lies along an axis of `rank` axes, and broadcasts to the others.
constexpr term lying_along(term vector, int axis, int rank) {
  const std::int64_t after = all_axes(rank - axis) & ~std::int64_t{1};
  return reshape_term(vector, with_ones(vector.extents(), after));
}
}  // namespace graph

/// `reshape<batch, 8, 8>(x)`: the elements of `x` in row-major order with these extents. Their product must equal the
/// number of elements: checked when compiling where it can be decided, else at the call.
template <auto... Extents, symbolic X>
constexpr auto reshape(const X& x) {
  return X::layer::template reshape<Extents...>(x);
}

}  // namespace kroton
