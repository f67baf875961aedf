// This header finds the chains of updates: elementwise nodes on which nothing but new values of shared variables
// depends, such as what Adam makes of a gradient. Chains of several new values stay apart from the reductions that
// compute gradients, so that the chains of all parameters are equal kernels, which one launch runs (joined_steps.hpp).
//
//     g = sum(d, axis<0>), new mean = 0.9 * mean + 0.1 * g, new b = b - rate * mean
//       ->  group over columns: g; group over b: the two new values
#pragma once

#include <kroton/passes/layout.hpp>

namespace kroton::passes {

/// The chains of the updates of a graph.
class update_chains {
 public:
  constexpr update_chains(const graph& g, const view_map* views) {
    if (g.updates.size() < 4) return;  // two new values of each of two parameters
    const array_list<bool> is_in_chain = nodes_of_chains(g, views);
    link(g, views, is_in_chain);
    array_list<int> values(g.size(), 0);  // new values of each chain
    int chains = 0;
    for (const update_entry& u : g.updates)
      if (is_in_chain[u.source] && ++values[chain_of(u.source)] == 2) ++chains;
    if (chains < 2) return;
    is_apart_.resize(g.size(), false);
    for (int id = 0; id < g.size(); ++id) is_apart_[id] = is_in_chain[id] && values[chain_of(id)] >= 2;
  }
  /// Whether a node is part of a chain that stays apart from reductions.
  constexpr bool is_apart(int id) const { return !is_apart_.empty() && is_apart_.items[id]; }
  /// The node that stands for the chain of a node that stays apart.
  constexpr int chain_of(int id) {
    while (next_.items[id] != id) id = next_.items[id] = next_.items[next_.items[id]];
    return id;
  }

 private:
  array_list<bool> is_apart_;  // of each node; empty: no node is
  array_list<int> next_;       // of each node: another one of its chain, or that its chain reads, or itself

  /// Whether each node is part of a chain.
  static constexpr array_list<bool> nodes_of_chains(const graph& g, const view_map* views) {
    array_list<bool> is_in_chain(g.size(), false),
        is_needed(g.size(), false);  // needed by other nodes, or by the caller
    for (int id : g.outputs) is_needed[id] = true;
    for (const update_entry& u : g.updates) is_in_chain[u.source] = true;
    for (int id = g.size() - 1; id >= 0; --id) {
      const node& n = g.nodes.items[id];
      is_in_chain.items[id] = is_in_chain.items[id] && !is_needed.items[id] && is_computed(n) &&
                              n.op->kind == op_kind::map && g.shapes.items[n.shape].rank > 0;
      if (!is_computed(n) && n.op->id != id_of<ops::index_check>) continue;
      for (int i = n.first; i < n.first + n.count; ++i)
        if (const int base = views[g.operands.items[i]].base; base >= 0)
          (is_in_chain.items[id] ? is_in_chain : is_needed).items[base] = true;
    }
    return is_in_chain;
  }
  /// Makes one chain of nodes of which one reads the other, and of nodes that read the same tensor.
  constexpr void link(const graph& g, const view_map* views, const array_list<bool>& is_in_chain) {
    for (int id = 0; id < g.size(); ++id) next_.push_back(id);
    for (int id = 0; id < g.size(); ++id) {
      const node& n = g.nodes.items[id];
      for (int i = n.first; is_in_chain.items[id] && i < n.first + n.count; ++i)
        if (const int base = views[g.operands.items[i]].base; base >= 0 && g.shape_of(base).rank > 0)
          next_.items[chain_of(base)] = chain_of(id);
    }
  }
};

}  // namespace kroton::passes
