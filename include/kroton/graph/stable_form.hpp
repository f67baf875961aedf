// This header writes what is differentiated in its stable form (stable.hpp), so that gradients are those of formulas
// that do not overflow. Nodes are appended, and those there were stay as they are.
//
//     %1 = exp(%0), %2 = add(1, %1), %3 = log(%2), cost %4 = sum(%3)   ->  %5 = softplus(%0), %6 = sum(%5) is the cost
//
// A loop has one body, which other nodes read, too. So the formulas of a body are written so when it is recorded, and
// the form of a cost changes nothing in loops that have ended.
#pragma once

#include <kroton/graph/stable.hpp>

namespace kroton::graph {

/// The stable forms of nodes. What is opaque stays what it is, and so do formulas in loops but those whose bodies are
/// being recorded.
constexpr array_list<int> stable_forms(graph& g, const array_list<int>& roots, const array_list<bool>& opaque) {
  int last = -1;
  for (const int id : roots) last = id > last ? id : last;
  array_list<bool> live(last + 1, false);
  array_list<int> renamed(last + 1, -1);
  for (const int id : roots) live[id] = true;
  const bool* is_opaque = opaque.items;
  bool* is_live = live.items;
  int* now = renamed.items;
  {
    const node* nodes = g.nodes.items;
    const int* operands = g.operands.items;
    for (int id = last; id >= 0; --id)
      if (is_live[id] && !is_opaque[id])
        for (int i = nodes[id].first, past = i + nodes[id].count; i < past; ++i) is_live[operands[i]] = true;
  }
  const stabiliser rules(g, &opaque);
  const loop_set recorded = g.with_outer(g.open_loop);
  array_list<int> many;
  int few[4] = {};
  for (int id = 0; id <= last; ++id) {
    if (!is_live[id]) continue;
    now[id] = id;
    if (is_opaque[id]) continue;
    const node n = g.nodes.items[id];
    if (n.count == 0) continue;
    const int* operands = g.operands.items + n.first;
    if (n.count > 4) many.resize(n.count);
    int* args = n.count > 4 ? many.items : few;
    bool changed = false;
    for (int i = 0; i < n.count; ++i) {
      args[i] = now[operands[i]];
      changed = changed || args[i] != operands[i];
    }
    const bool may_change = n.op->kind == op_kind::map && (n.loops & ~recorded) == 0;
    const term better = may_change ? rules.apply(n, args) : term{};
    if (better.valid()) now[id] = broadcast_term(better, g.shapes[n.shape]).id;
    else if (changed) now[id] = g.add(n.op, n.type, n.shape, n.attr, args, n.count);
  }
  array_list<int> found;
  for (const int id : roots) found.push_back(now[id]);
  return found;
}
/// `cost` in its stable form; the nodes of `variables` stay what they are.
constexpr term stable_form(term cost, const array_list<term>& variables) {
  array_list<bool> opaque(cost.id + 1, false);
  array_list<int> roots;
  roots.push_back(cost.id);
  for (const term& v : variables)
    if (v.id <= cost.id) opaque[v.id] = true;
  return {cost.owner, stable_forms(*cost.owner, roots, opaque)[0]};
}
/// Values of a body that is being recorded, whose nodes begin with `first`, in their stable forms.
constexpr void stabilise_body(graph& g, array_list<term>& values, int first) {
  array_list<int> roots;
  for (const term& each : values) roots.push_back(each.id);
  array_list<bool> opaque(g.size(), false);
  for (int id = 0; id < first; ++id) opaque[id] = true;
  const array_list<int> found = stable_forms(g, roots, opaque);
  for (int i = 0; i < values.size(); ++i) values[i].id = found[i];
}

}  // namespace kroton::graph
