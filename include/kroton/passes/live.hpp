// This header finds the nodes that outputs and updates depend on; passes drop all others.
//
//     %0, %1 = exp(%0), %2 = log(%0), output %1  ->  {true, true, false}
#pragma once

#include <kroton/graph/frozen.hpp>

namespace kroton::passes {

/// The nodes that outputs and updates depend on.
template <graph_size Size>
constexpr array_list<bool> live_nodes(const frozen_graph<Size>& f) {
  array_list<bool> live(Size.nodes, false);
  for (int i = 0; i < Size.outputs; ++i) live[f.outputs[i]] = true;
  for (int i = 0; i < Size.updates; ++i) live[f.updates[i].source] = true;
  for (int id = Size.nodes - 1; id >= 0; --id)
    if (live[id])
      for (int i = 0; i < f.nodes[id].count; ++i) live[f.operands[f.nodes[id].first + i]] = true;
  return live;
}

}  // namespace kroton::passes
