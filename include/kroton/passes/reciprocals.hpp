// This pass replaces quotients with one divisor by products with its reciprocal. It runs only where the user allows one
// more rounding, by kt::policy::reciprocals.
//
//     a / s, b / s  ->  r = 1 / s, a * r, b * r
#pragma once

#include <kroton/graph/graph.hpp>
#include <kroton/graph/ops.hpp>
#include <kroton/graph/stable/pattern.hpp>

namespace kroton::passes {

/// Replaces quotients in a graph. Of two and more by the same divisor one division is left.
class reciprocal_sharing {
 public:
  constexpr explicit reciprocal_sharing(graph& g)
      : g_(g), is_live_(g.size(), false), divided_(g.size(), 0), renamed_(g.size(), -1) {
    for (const int id : g.outputs) is_live_[id] = true;
    for (const update_entry& u : g.updates) is_live_[u.source] = true;
    for (int id = g.size() - 1; id >= 0; --id) {
      if (!is_live_[id]) continue;
      for (int i = 0; i < g.nodes[id].count; ++i) is_live_[g.operand(id, i)] = true;
      if (is_quotient(id)) ++divided_[g.operand(id, 1)];
    }
  }
  constexpr void run() {
    const int count = g_.size();
    for (int id = 0; id < count; ++id)
      if (is_live_[id]) renamed_[id] = rewritten(id);
    for (int& id : g_.outputs) id = renamed_[id];
    for (update_entry& u : g_.updates) u.source = renamed_[u.source];
  }

 private:
  graph& g_;
  array_list<bool> is_live_;
  array_list<int> divided_;  // by how many quotients, a node as their divisor
  array_list<int> renamed_;

  constexpr bool is_quotient(int id) const {
    return g_.nodes[id].op->id == id_of<ops::div> && is_floating(g_.nodes[id].type) &&
           !is_constant({&g_, g_.operand(id, 1)});
  }
  constexpr int rewritten(int id) {
    const node n = g_.nodes[id];
    array_list<int> operands(n.count, 0);
    bool is_same = true;
    for (int i = 0; i < n.count; ++i) {
      operands[i] = renamed_[g_.operand(id, i)];
      is_same = is_same && operands[i] == g_.operand(id, i);
    }
    if (is_quotient(id) && divided_[g_.operand(id, 1)] > 1) {
      const term x{&g_, operands[0]}, reciprocal = constant(g_, n.type, 1) / term{&g_, operands[1]};
      return is_number(x, 1) ? reciprocal.id : (x * reciprocal).id;
    }
    return is_same ? id : g_.add(n.op, n.type, n.shape, n.attr, operands.begin(), n.count);
  }
};

}  // namespace kroton::passes
