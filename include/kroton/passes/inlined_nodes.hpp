// This header finds the nodes that every kernel which reads them computes again: cheap arithmetic on scalars, and draws
// of random numbers with what is made of them. Their values never lie in memory.
//
//     s = 1 / (a + 1), u = uniform(), y = x * s + u  ->  s and u are inlined: the kernel of y computes both
#pragma once

#include <kroton/passes/layout.hpp>

namespace kroton::passes {

/// The most instructions of a node that is inlined, with those of the inlined nodes that it reads.
inline constexpr int most_inlined = 16;
/// From this cost of an operation on, its results are stored, because a load takes less time than drawing again.
inline constexpr int least_stored_cost = 100;

class inlined_nodes {
 public:
  array_list<bool> items;  ///< whether each node is inlined

  constexpr inlined_nodes(const graph& g, const view_map* views)
      : items(g.size(), false), graph_(g), views_(views), instructions_(g.size(), 0) {
    const int count = g.size();
    const int* operands = g.operands.items;
    array_list<bool> results(count, false);
    for (int id : g.outputs) results[id] = true;
    for (const update_entry& u : g.updates) results[u.source] = true;
    for (int id = 0; id < count; ++id)  // operations with kernels of their own read memory, and so do index checks
      if (const node& n = g.nodes.items[id];
          is_whole_tensor(n.op->kind) || n.op->kind == op_kind::loop_carried || n.op->id == id_of<ops::index_check>)
        for (int i = n.first; i < n.first + n.count; ++i) results.items[views[operands[i]].base] = true;
    find_spread();
    for (int id = 0; id < count; ++id)
      if (is_computed(g.nodes.items[id]) && !results.items[id]) items.items[id] = is_cheap_scalar(id) || is_drawn(id);
  }
  constexpr bool operator[](int id) const { return items.items[id]; }
  /// The instructions that a kernel repeats for an inlined node.
  constexpr int instructions(int id) const { return instructions_.items[id]; }
  /// Whether a node is a draw, or made of one, that every kernel which does not have it computes again.
  constexpr bool is_repeated(int id) const { return items.items[id] && graph_.shape_of(id).rank > 0; }

 private:
  const graph& graph_;
  const view_map* views_;
  array_list<int> instructions_;  // of each node that is inlined
  array_list<bool> is_spread_;    // of each node: whether a reader has more elements
  array_list<bool> is_position_;  // of each node: whether it is the positions of a draw

  constexpr bool is_cheap_scalar(int id) {
    const node& n = graph_.nodes.items[id];
    if (n.op->kind != op_kind::map || n.op->cost > 4 || graph_.shapes.items[n.shape].rank != 0) return false;
    int& instructions = instructions_.items[id] = 1;
    for (int i = 0; i < n.count; ++i) {
      const int b = views_[graph_.operand(id, i)].base;
      if (is_computed(graph_.nodes.items[b]) && !items.items[b]) return false;
      instructions += items.items[b] ? instructions_.items[b] : 1;
    }
    return instructions <= most_inlined;
  }
  /// Finds the draws, and what is computed from them alone, that readers see several times along an axis.
  constexpr void find_spread() {
    if (!has_draws()) return;
    const int count = graph_.size();
    is_spread_.resize(count, false);
    is_position_.resize(count, false);
    for (int id = 0; id < count; ++id) {
      const node& n = graph_.nodes.items[id];
      if (!is_computed(n)) continue;
      if (n.op->draws) is_position_.items[views_[graph_.operand(id, 0)].base] = true;
      for (int i = 0; i < n.count; ++i) {
        const int x = graph_.operand(id, i);
        const shape& s = graph_.shape_of(x);
        bool spreads = n.op->kind == op_kind::map && !same_size_ones(s, graph_.shapes[n.shape]);
        for (int axis = 0; axis < s.rank; ++axis) spreads = spreads || (s[axis] != 1 && views_[x].stride[axis] == 0);
        if (spreads) is_spread_.items[views_[x].base] = true;
      }
    }
  }
  constexpr bool has_draws() const {
    for (const node& n : graph_.nodes)
      if (n.op->draws) return true;
    return false;
  }
  /// Whether a node is made of draws, positions and scalars alone, by few instructions.
  constexpr bool is_drawn(int id) {
    const node& n = graph_.nodes.items[id];
    if (n.op->kind != op_kind::map || is_spread_.empty() || is_spread_.items[id] || graph_.shape_of(id).rank == 0 ||
        n.op->cost >= least_stored_cost)
      return false;
    int instructions = 1;
    bool draws = n.op->draws || is_position_.items[id];
    for (int i = 0; i < n.count; ++i) {
      const int x = graph_.operand(id, i), b = views_[x].base;
      const node& from = graph_.nodes.items[b];
      const bool is_scalar = graph_.shape_of(x).rank == 0, is_whole = x == b && from.shape == n.shape;
      if (items.items[b] && (is_scalar || is_whole)) {
        instructions += instructions_.items[b];
        draws = draws || !is_scalar;
      } else if (is_computed(from) || !(is_scalar || (is_whole && from.op->kind == op_kind::iota))) {
        return false;
      } else {
        ++instructions;
      }
    }
    instructions_.items[id] = instructions;
    return draws && instructions <= most_inlined;
  }
};

}  // namespace kroton::passes
