// This header finds which nodes a value needs, and how far a property of nodes spreads among them.
//
//     %2 = exp(%0), %3 = sum(%1), %4 = mul(%2, %0)   ->  %4 needs %0, %2 and %4; what %0 has spreads to all of them
#pragma once

#include <kroton/graph/ops/loop.hpp>

namespace kroton::graph {

/// Calls `use` with what node `n` is computed from, and `with_rules` also with the gradients that somebody wrote.
constexpr void for_each_source(const graph& g, const node& n, bool with_rules, auto use) {
  for (int i = 0; i < n.count; ++i) use(g.operands[n.first + i]);
  if (with_rules && n.op->kind == op_kind::custom_gradient)
    for (const int gradient : g.custom_rules[custom_form::of(n.attr).number].gradients) use(gradient);
}
/// The nodes that `roots` are computed from, and these. A node for which `stops` holds is needed, but not what it is
/// computed from. `with_rules`: so are the gradients that somebody wrote.
constexpr array_list<bool> needed_nodes(const graph& g, const array_list<int>& roots, const auto& stops,
                                        bool with_rules = false) {
  int last = -1;
  for (const int id : roots) last = id > last ? id : last;
  array_list<bool> is_needed(last + 1, false);
  for (const int id : roots) is_needed[id] = true;
  for (int id = last; id >= 0; --id) {
    if (!is_needed[id] || stops(id)) continue;
    for_each_source(g, g.nodes[id], with_rules, [&](int x) { is_needed[x] = true; });
  }
  return is_needed;
}
/// The same of one node, and of all that it is computed from.
constexpr array_list<bool> needed_nodes(const graph& g, int root, bool with_rules = false) {
  array_list<int> roots;
  roots.push_back(root);
  return needed_nodes(
      g, roots, [](int) { return false; }, with_rules);
}

/// The carried variables of the loops whose results are among nodes.
constexpr array_list<carried_pair> carried_among(const graph& g, const array_list<bool>& nodes) {
  array_list<carried_pair> found;
  for (int id = nodes.size() - 1; id >= 0; --id)
    if (nodes[id] && is_loop_result(g.nodes[id].op->kind)) note_carried(found, g, id);
  return found;
}

/// Spreads a property of some of `nodes` to those that read them and for which `passes` holds, and from one iteration
/// of a loop to the next.
constexpr void spread_among(const graph& g, const array_list<bool>& nodes, const array_list<carried_pair>& carried,
                            array_list<bool>& has, const auto& passes) {
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (int id = 0; id < nodes.size(); ++id) {
      if (!nodes[id] || has[id] || !passes(g.nodes[id])) continue;
      for (int i = 0; i < g.nodes[id].count && !has[id]; ++i) has[id] = has[g.operand(id, i)];
    }
    for (const carried_pair& pair : carried)
      for (int id = 0; id < nodes.size() && has[pair.next]; ++id)
        if (nodes[id] && !has[id] && is_value_of(g.nodes[id], pair.loop, pair.number)) has[id] = is_changed = true;
  }
}

}  // namespace kroton::graph
