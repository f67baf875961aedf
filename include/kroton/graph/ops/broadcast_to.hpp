// This header has the operation broadcast_to: repetition along axes of extent 1 and along new leading axes.
#pragma once

#include <kroton/graph/ops/reshape.hpp>

namespace kroton {
namespace ops {
struct broadcast_to {
  static constexpr op_kind kind = op_kind::broadcast;
  static constexpr const char* name = "broadcast_to";
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed());  // backprop::add sums over the broadcast axes
  }
};
}  // namespace ops

namespace graph {
constexpr term broadcast_term(term x, const shape& target) {
  if (x.extents() == target) return x;
  return graph_layer::record<ops::broadcast_to>(*x.owner, x.type(), target, {}, &x.id, 1);
}

/// A result that was reduced over the axes of `mask`, spread over them again to shape `target`.
constexpr term spread(term reduced, std::int64_t mask, shape target) {  // a copy: new nodes move the graph's shapes
  return broadcast_term(reshape_term(reduced, with_ones(reduced.extents(), mask)), target);
}
}  // namespace graph

/// `broadcast_to<batch, 64>(x)`: `x` repeated to these extents under NumPy's alignment.
template <auto... Extents, symbolic X>
constexpr auto broadcast_to(const X& x) {
  return X::layer::template broadcast_to<Extents...>(x);
}

}  // namespace kroton
