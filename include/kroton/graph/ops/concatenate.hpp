// This header has the operation concatenate: tensors one after the other along an axis.
#pragma once

#include <kroton/graph/axes.hpp>
#include <kroton/graph/ops/slice.hpp>

namespace kroton {
namespace ops {
/// Attributes: concatenate_form. Any number of operands.
struct concatenate {
  static constexpr op_kind kind = op_kind::concatenate;
  static constexpr const char* name = "concatenate";
  template <class B>
  static constexpr void backward(B& b) {
    const int axis = concatenate_form::of(b.attr()).axis;
    extent_code first = 0;
    for (int i = 0; i < b.count(); ++i) {
      const extent_code extent = b.operand(i).extents()[axis];
      if (b.wants(i)) b.add(i, slice_term(b.seed(), {axis, 1, first}, extent));
      first = b.seed().owner->extents.add(first, extent);
    }
  }
};
}  // namespace ops

namespace graph {
template <class Extents>
constexpr shape concatenated(Extents& table, const shape* parts, int count, int axis) {
  shape result = parts[0];
  for (int p = 1; p < count; ++p)
    for (int i = 0; i < result.rank; ++i)
      result[i] = i == axis ? table.add(result[i], parts[p][i]) : table.unify(result[i], parts[p][i], "concatenate");
  return result;
}
constexpr term concatenate_term(const term* parts, int count, int axis) {
  graph& g = *parts[0].owner;
  array_list<shape> shapes;
  array_list<int> ids;
  for (int i = 0; i < count; ++i) shapes.push_back(parts[i].extents()), ids.push_back(parts[i].id);
  const shape s = concatenated(g.extents, shapes.begin(), count, axis);
  return graph_layer::record<ops::concatenate>(g, parts[0].type(), s, concatenate_form{axis}, ids.begin(), count);
}
}  // namespace graph

/// `concatenate(axis<0>, x, y, ...)`: the tensors one after the other; all other extents agree.
template <int Axis, symbolic... X>
constexpr auto concatenate(graph::axis_list<Axis> axis, const X&... x) {
  return layer_of<X...>::concatenate(axis, x...);
}

}  // namespace kroton
