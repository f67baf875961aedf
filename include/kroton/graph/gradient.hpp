// Reverse-mode differentiation: appends to the graph the gradients of a scalar.
#pragma once

#include <kroton/graph/stable.hpp>

namespace kroton {

constexpr void backprop::add(int i, term contribution) {
  const term x = operand(i);
  const shape have = contribution.extents(), want = x.extents();  // copies, because new nodes move the graph's shapes
  if (!(have == want)) {
    const int offset = have.rank - want.rank;
    std::int64_t summed = 0;
    for (int axis = 0; axis < have.rank; ++axis)
      if (axis < offset || (want[axis - offset] == 1 && have[axis] != 1)) summed |= std::int64_t{1} << axis;
    if (summed != 0) contribution = sum(contribution, summed);
    contribution = reshape_term(contribution, want);
  }
  int& adjoint = adjoints_[x.id];
  adjoint = adjoint < 0 ? contribution.id : (term{&graph_, adjoint} + contribution).id;
}

/// `cost` in its stable form, appended to the graph; the nodes of `variables` stay what they are.
constexpr term stable_form(term cost, const array_list<term>& variables) {
  graph& g = *cost.owner;
  const int last = cost.id;
  array_list<bool> opaque(last + 1, false);
  array_list<bool> live(last + 1, false);
  array_list<int> renamed(last + 1, -1);
  for (const term& v : variables)
    if (v.id <= last) opaque[v.id] = true;
  live[last] = true;
  for (int id = last; id >= 0; --id)
    if (live[id] && !opaque[id])
      for (int i = 0; i < g.nodes[id].count; ++i) live[g.operand(id, i)] = true;
  const stabiliser rules(g, &opaque);
  array_list<int> args;
  for (int id = 0; id <= last; ++id) {
    if (!live[id]) continue;
    renamed[id] = id;
    if (opaque[id]) continue;
    const node n = g.nodes[id];
    bool changed = false;
    args.clear();
    for (int i = 0; i < n.count; ++i) {
      args.push_back(renamed[g.operand(id, i)]);
      changed = changed || args[i] != g.operand(id, i);
    }
    const term better = rules.apply(n, args.begin());
    if (better.valid()) renamed[id] = broadcast_term(better, g.shapes[n.shape]).id;
    else if (changed) renamed[id] = g.add(n.op, n.type, n.shape, n.attr, args.begin(), n.count);
  }
  return {&g, renamed[last]};
}

/// The nodes that `cost` depends on, but not through kt::disconnected_grad.
constexpr array_list<bool> connected_to(term cost) {
  const graph& g = *cost.owner;
  array_list<bool> connected(cost.id + 1, false);
  connected[cost.id] = true;
  for (int id = cost.id; id >= 0; --id)
    if (connected[id] && g.nodes[id].op->id != id_of<ops::disconnected_grad>)
      for (int i = 0; i < g.nodes[id].count; ++i) connected[g.operand(id, i)] = true;
  return connected;
}

/// Gradients of the scalar `cost` with respect to `variables`: zeros where it depends on one only through what is piecewise
/// constant (`floor`, comparisons, conversion to integers), an invalid term where it does not depend on one.
/// `line` is that of the user's call.
constexpr array_list<term> gradients(term cost, const array_list<term>& variables, unsigned line = 0) {
  graph& g = *cost.owner;
  const array_list<bool> connected = connected_to(cost);
  cost = stable_form(cost, variables);
  const masked_products scope(g);
  const int last = cost.id;
  array_list<bool> needed(last + 1, false);
  int first = last + 1;
  for (const term& v : variables)
    if (v.id <= last) {
      needed[v.id] = true;
      if (v.id < first) first = v.id;
    }
  for (int id = first; id <= last; ++id) {
    const node& n = g.nodes[id];
    if (n.op->piecewise_constant || n.op->id == id_of<ops::disconnected_grad> || !is_floating(n.type)) continue;
    for (int i = 0; i < n.count && !needed[id]; ++i)
      if (needed[g.operands[n.first + i]]) needed[id] = true;
  }
  array_list<int> adjoints(last + 1, -1);
  adjoints[last] = constant(g, cost.type(), 1).id;
  for (int id = last; id >= first; --id) {
    if (adjoints[id] < 0 || !needed[id]) continue;
    const node n = g.nodes[id];
    if (n.op->piecewise_constant || n.op->id == id_of<ops::disconnected_grad> || n.count == 0) continue;
    bool inner = false;
    for (int i = 0; i < n.count; ++i) inner = inner || needed[g.operands[n.first + i]];
    if (!inner) continue;
    if (!n.op->differentiable) {
      g.report({.what = mistake::no_derivative, .line = line, .operation = n.op->name});
      continue;
    }
    backprop b(g, id, {&g, adjoints[id]}, needed, adjoints);
    n.op->backward(b);
  }
  array_list<term> result;
  for (const term& v : variables) {
    term found{&g, -1};
    if (v.id <= last && adjoints[v.id] >= 0) {
      found.id = adjoints[v.id];
    } else if (v.id < connected.size() && connected[v.id] && is_floating(v.type())) {
      const shape target = v.extents();  // a copy, because new nodes move the graph's shapes
      found = broadcast_term(constant(g, v.type(), 0), target);
    }
    result.push_back(found);
  }
  return result;
}

}  // namespace kroton
