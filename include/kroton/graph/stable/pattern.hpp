// This header has patterns, with which stable rewrites look at a graph: at a few nodes around one, never at the whole
// of a long chain.
#pragma once

#include <kroton/graph/ops.hpp>

namespace kroton::graph {

/// Whether `t` is the constant `value` (of any shape: constants are scalars).
constexpr bool is_number(term t, double value) { return is_constant(t) && constant_value(t.get()) == value; }

namespace stable {

/// How many nodes a rule looks at in a chain of sums, products or selections.
inline constexpr int chain_limit = 16;

/// A graph as rules see it. Nodes marked opaque are not looked into.
class pattern {
 public:
  constexpr pattern(graph& looked_at, const array_list<bool>* opaque) : g(looked_at), opaque_(opaque) {}

  graph& g;

  constexpr bool is_open(term t) const { return opaque_ == nullptr || t.id >= opaque_->size() || !(*opaque_)[t.id]; }
  template <class Op>
  constexpr bool is(term t) const {
    return g.nodes.items[t.id].op->id == id_of<Op> && is_open(t);
  }
  constexpr term arg(term t, int i = 0) const { return {&g, g.operand(t.id, i)}; }
  /// -x, without a double negation.
  constexpr term negative(term x) const { return is<ops::neg>(x) ? arg(x) : -x; }
  /// The tensor that `t` repeats or reshapes.
  constexpr term unspread(term t) const {
    while (is<ops::broadcast_to>(t) || is<ops::reshape>(t)) t = arg(t);
    return t;
  }
  /// The term of which `t` is a transfer.
  constexpr term unmoved(term t) const {
    while (is<ops::transfer>(t)) t = arg(t);
    return t;
  }
  /// The node `n` on these operands.
  constexpr term recorded(const node& n, term x, term y) const {
    const int args[] = {x.id, y.id};
    return {&g, g.add(n.op, n.type, n.shape, n.attr, args, 2)};
  }
  /// The node `t` again, with another first operand.
  constexpr term with_first(term t, term first) const {
    const node n = t.get();
    array_list<int> args;
    args.push_back(first.id);
    for (int i = 1; i < n.count; ++i) args.push_back(g.operand(t.id, i));
    return {&g, g.add(n.op, n.type, n.shape, n.attr, args.begin(), n.count)};
  }

 private:
  const array_list<bool>* opaque_;
};

/// log(x) as it is, for formulas that keep it on one side of a `where`.
constexpr term raw_log(term x) { return graph_layer::record<ops::log>(*x.owner, x.type(), x.extents(), {}, &x.id, 1); }

}  // namespace stable
}  // namespace kroton::graph
