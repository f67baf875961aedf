// A finished graph as plain arrays of exact size, which a constexpr variable can hold between passes.
#pragma once

#include <kroton/graph/graph.hpp>

namespace kroton {

struct graph_size {
  int nodes, operands, shapes, symbols, requirements, inputs, shared, blocks, outputs, updates;
};

constexpr graph_size size_of(const graph& g) {
  return {g.nodes.size(),  g.operands.size(), g.shapes.size(), g.extents.symbols.size(), g.extents.requirements.size(),
          g.inputs.size(), g.shared.size(),   g.blocks.size(), g.outputs.size(),         g.updates.size()};
}

template <graph_size Size>
struct frozen_graph {
  static constexpr graph_size size = Size;
  node nodes[Size.nodes + 1];  // one more, because arrays are never empty
  int operands[Size.operands + 1];
  kroton::shape shapes[Size.shapes + 1];
  extent_symbol symbols[Size.symbols + 1];
  requirement requirements[Size.requirements + 1];
  variable inputs[Size.inputs + 1];
  variable shared[Size.shared + 1];
  block_name blocks[Size.blocks + 1];
  int outputs[Size.outputs + 1];
  update_entry updates[Size.updates + 1];
  diagnosis problem;
};

template <graph_size Size>
constexpr frozen_graph<Size> freeze(const graph& g) {
  frozen_graph<Size> f{};
  const auto copy = [](auto* to, const auto& from) {
    for (int i = 0; i < from.size(); ++i) to[i] = from[i];
  };
  copy(f.nodes, g.nodes);
  copy(f.operands, g.operands);
  copy(f.shapes, g.shapes);
  copy(f.symbols, g.extents.symbols);
  copy(f.requirements, g.extents.requirements);
  copy(f.inputs, g.inputs);
  copy(f.shared, g.shared);
  copy(f.blocks, g.blocks);
  copy(f.outputs, g.outputs);
  copy(f.updates, g.updates);
  f.problem = g.problem;
  return f;
}

/// A growing graph again, with everything of `f` but its nodes; for passes that write the nodes anew.
template <graph_size Size>
constexpr void thaw_frame(const frozen_graph<Size>& f, graph& g) {
  const auto copy = [](auto& to, const auto* from, int count) {
    for (int i = 0; i < count; ++i) to.push_back(from[i]);
  };
  copy(g.shapes, f.shapes, Size.shapes);
  copy(g.extents.symbols, f.symbols, Size.symbols);
  copy(g.extents.requirements, f.requirements, Size.requirements);
  copy(g.inputs, f.inputs, Size.inputs);
  copy(g.shared, f.shared, Size.shared);
  copy(g.blocks, f.blocks, Size.blocks);
  g.problem = f.problem;
}

/// The whole of `f` as a growing graph.
template <graph_size Size>
constexpr void thaw(const frozen_graph<Size>& f, graph& g) {
  thaw_frame(f, g);
  for (int i = 0; i < Size.nodes; ++i) {
    const node& n = f.nodes[i];
    g.add(n.op, n.type, n.shape, n.attr, f.operands + n.first, n.count);
  }
  for (int i = 0; i < Size.outputs; ++i) g.outputs.push_back(f.outputs[i]);
  for (int i = 0; i < Size.updates; ++i) g.updates.push_back(f.updates[i]);
}

}  // namespace kroton
