// This header follows gradients that arrive at some elements only. `where(c, x, y)` sends its gradient to x where c
// holds, and no gradient elsewhere. An element without a gradient must not get one later: times an infinite slope, a
// zero would become a NaN.
//
// So an adjoint has up to two masks beside its value: `reach`, outside which no gradient arrives, and `pending`,
// outside which the value means nothing, because slopes were multiplied without looking. The value is selected by
// `pending` only where elements are mixed, and once at the end. Example, the gradient of sum(where(x > 0, sqrt(x) * 3,
// 0)):
//
//     at where:  {1, -, -}  ->  at mul: {1, x > 0, x > 0}  ->  at sqrt: {3, x > 0, x > 0}
//     at x:      {3 / (2 sqrt(x)), x > 0, x > 0}  ->  the result: where(x > 0, 3 / (2 sqrt(x)), 0)
//
// Reach passes elementwise operations, views, reductions and lookups. It ends at a product of matrices, which mixes
// all.
#pragma once

#include <kroton/graph/ops.hpp>

namespace kroton::graph::reach {

/// Node `mask` (of bool) as a term.
constexpr term at(graph& g, int mask) { return {&g, mask}; }

/// Node `mask` with the shape of `like`, to which it broadcasts.
constexpr term spread_to(graph& g, int mask, int like) {
  const shape target = g.shape_of(like);  // a copy, because new nodes move the graph's shapes
  return broadcast_term({&g, mask}, target);
}

/// The gradient, with zeros where nothing arrives.
constexpr term selected(graph& g, const adjoint& a) {
  const term value{&g, a.value};
  return a.pending < 0 ? value : where(at(g, a.pending), value, 0);
}

/// Where both masks hold.
constexpr int both(graph& g, int a, int b) {
  if (a < 0 || a == b) return b;
  return b < 0 ? a : (at(g, a) && at(g, b)).id;
}

constexpr bool is_not(const graph& g, int a, int b) {
  return g.nodes[a].op->id == id_of<ops::logical_not> && g.operand(a, 0) == b;
}

/// Two masks `common && first` and `common && !first`; `first` is -1 where they are not of that kind.
struct division {
  int common = -1, first = -1;
  bool swapped = false;  ///< the second mask is the one with `first`
};
constexpr division divide(const graph& g, int a, int b) {
  if (a < 0 || b < 0) return {};
  if (is_not(g, b, a)) return {-1, a, false};
  if (is_not(g, a, b)) return {-1, b, true};
  const operation_id conjunction = id_of<ops::logical_and>;
  if (g.nodes[a].op->id != conjunction || g.nodes[b].op->id != conjunction) return {};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const int x = g.operand(a, 1 - i), y = g.operand(b, 1 - j);
      if (g.operand(a, i) != g.operand(b, j)) continue;
      if (is_not(g, y, x)) return {g.operand(a, i), x, false};
      if (is_not(g, x, y)) return {g.operand(a, i), y, true};
    }
  return {};
}

/// Where one of the masks holds, or both.
constexpr int either(graph& g, int a, int b) {
  if (a == b) return a;
  if (a < 0 || b < 0) return -1;
  const division d = divide(g, a, b);
  return d.first >= 0 ? d.common : (at(g, a) || at(g, b)).id;
}

/// The sum of two gradients that arrive at one node.
constexpr adjoint sum(graph& g, const adjoint& a, const adjoint& b) {
  const int arrives = either(g, a.reach, b.reach);
  if (a.pending == b.pending) return {(term{&g, a.value} + term{&g, b.value}).id, arrives, a.pending};
  if (const division d = divide(g, a.pending, b.pending); d.first >= 0) {
    const term x{&g, d.swapped ? b.value : a.value}, y{&g, d.swapped ? a.value : b.value};
    return {where(at(g, d.first), x, y).id, arrives, d.common};
  }
  return {(selected(g, a) + selected(g, b)).id, arrives, -1};
}

/// The mask of `contribution`, which is made of `seed` by views and lookups; `mask` is that of `seed`. -1: everywhere.
constexpr int through_views(graph& g, int contribution, int seed, int mask) {
  if (contribution == seed) return spread_to(g, mask, seed).id;
  const node n = g.nodes[contribution];
  const auto again = [&](int i) { return through_views(g, g.operand(contribution, i), seed, mask); };
  switch (n.op->kind) {
    case op_kind::reshape:
    case op_kind::transpose:
    case op_kind::broadcast:
    case op_kind::slice:
    case op_kind::embed:
    case op_kind::transfer: {
      const int x = again(0);
      return g.add(n.op, dtype::boolean, n.shape, n.attr, &x, 1);
    }
    case op_kind::take: {
      const int x[] = {again(0), g.operand(contribution, 1)};
      return g.add(n.op, dtype::boolean, n.shape, n.attr, x, 2);
    }
    case op_kind::scatter_add: {
      const int x[] = {g.operand(contribution, 0), cast(at(g, again(1)), n.type).id};
      return (term{&g, g.add(n.op, n.type, n.shape, n.attr, x, 2)} != 0).id;
    }
    default: return -1;
  }
}

/// The adjoint of an operand of shape `want`, given the adjoint `a` of its broadcast value: sums over the broadcast
/// axes. `is_source`: the operand has no operands, so that its reach is not needed.
constexpr adjoint summed_to(graph& g, const adjoint& a, const shape& want, bool is_source) {
  term value = selected(g, a);
  const shape have = value.extents();  // a copy, because new nodes move the graph's shapes
  const int offset = have.rank - want.rank;
  std::int64_t axes = 0;
  for (int axis = 0; axis < have.rank; ++axis)
    if (axis < offset || (want[axis - offset] == 1 && have[axis] != 1)) axes |= std::int64_t{1} << axis;
  int arrives = -1;
  if (a.reach >= 0 && !is_source) {
    const term mask = spread_to(g, a.reach, a.value);
    arrives = reshape_term(axes != 0 ? reduce_term<ops::any>(mask, axes) : mask, want).id;
  }
  if (axes != 0) value = sum(value, axes);
  return {reshape_term(value, want).id, arrives, -1};
}

}  // namespace kroton::graph::reach
