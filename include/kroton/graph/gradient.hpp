// Reverse-mode differentiation: appends to the graph the gradients of a scalar.
#pragma once

#include <kroton/graph/ops.hpp>

namespace kroton {

constexpr void backprop::add(int i, term contribution) {
  const term x = operand(i);
  const shape& have = contribution.extents();
  const shape& want = x.extents();
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

/// Gradients of the scalar `cost` with respect to `variables`; an invalid term where the cost does not depend on one.
constexpr array_list<term> gradients(term cost, const array_list<term>& variables) {
  graph& g = *cost.owner;
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
    if (n.op->backward == nullptr) continue;
    for (int i = 0; i < n.count && !needed[id]; ++i)
      if (needed[g.operands[n.first + i]]) needed[id] = true;
  }
  array_list<int> adjoints(last + 1, -1);
  adjoints[last] = constant(g, cost.type(), 1).id;
  for (int id = last; id >= first; --id) {
    if (adjoints[id] < 0 || !needed[id]) continue;
    const node n = g.nodes[id];
    if (n.op->backward == nullptr || n.count == 0) continue;
    bool inner = false;
    for (int i = 0; i < n.count; ++i) inner = inner || needed[g.operands[n.first + i]];
    if (!inner) continue;
    backprop b(g, id, {&g, adjoints[id]}, needed, adjoints);
    n.op->backward(b);
  }
  array_list<term> result;
  for (const term& v : variables)
    result.push_back(v.id <= last && needed[last] ? term{&g, adjoints[v.id]} : term{&g, -1});
  return result;
}

}  // namespace kroton
