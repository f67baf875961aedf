// This header finds the carried variables of which an iteration changes parts where they lie, so that it copies
// nothing.
//
//     table' = set_rows(table, index, row)  ->  one place for all values of the table; each iteration writes a row
//     there
#pragma once

#include <kroton/graph/ops/scatter_onto.hpp>
#include <kroton/graph/routine.hpp>
#include <kroton/passes/grouping.hpp>

namespace kroton::passes {

/// Whether a node has the elements of one of its operands, but for those that it changes or adds to, so that it may lie
/// where that lies.
constexpr bool changes_operand(const node& n, int operand) {
  if (n.op->kind == op_kind::routine) return n.op->routine->in_place(operand);
  const bool adds = n.op->id == id_of<ops::gemm> || n.op->id == id_of<ops::scatter_onto>;
  return adds && gemm_form::of(n.attr).added == operand;
}

/// Whether the new value of a carried variable may lie where the old one lies: it is made by steps of which each
/// changes a part of what the step before has left, or adds to it, and nothing in the body needs what they change
/// afterwards.
class carried_in_place {
 public:
  array_list<int> nodes;  ///< what these steps make, the new value first; empty: the variable may not

  constexpr carried_in_place(graph& g, const grouping& fused, const carried_pair& v)
      : graph_(g), fused_(fused), variable_(v) {
    if (changed_by(v.next) < 0) return;
    position_.resize(fused.group_count, -1);
    for (int i = 0; i < fused.order_count; ++i)
      if (!loop_mark::is_mark(fused.order[i])) position_[fused.order[i]] = i;
    int id = v.next;
    for (int before; id != v.carried && (before = changed_by(id)) >= 0 && !is_needed_after(before, id); id = before)
      nodes.push_back(id);
    if (id != v.carried) nodes.clear();
  }

 private:
  graph& graph_;
  const grouping& fused_;
  const carried_pair& variable_;
  array_list<int> position_;  // of each group in the order

  constexpr int base(int id, int operand) const { return fused_.views[graph_.operand(id, operand)].base; }
  /// The node that has the elements of which node `id` changes some, -1: it changes none, or reads them elsewhere, too.
  constexpr int changed_by(int id) const {
    const node& n = graph_.nodes[id];
    if (n.loops != graph_.nodes[variable_.carried].loops || fused_.group_of[id] < 0) return -1;
    for (int i = 0; i < n.count; ++i) {
      if (!changes_operand(n, i) || !is_whole(graph_.operand(id, i))) continue;
      for (int other = 0; other < n.count; ++other)
        if (other != i && base(id, other) == base(id, i)) return -1;
      return base(id, i);
    }
    return -1;
  }
  constexpr bool is_whole(int view) const {
    const view_map& v = fused_.views[view];
    const auto elements = [&](int id) { return graph_.extents.elements(graph_.shape_of(id)); };
    return v.offset == 0 && v.motion < 0 && row_major_from(graph_.extents, graph_.shape_of(view), v, 0) &&
           elements(view) == elements(variable_.carried);
  }
  /// Whether anything reads node `id` when node `writer` is written, at another place, or as indices that are checked.
  constexpr bool is_needed_after(int id, int writer) const {
    const int written = position_[fused_.group_of[writer]];
    array_list<bool> repeats(graph_.size(), false);  // whether each node is computed by kernels that read it, from `id`
    for (int reader = id + 1; reader < graph_.size(); ++reader) {
      const node& n = graph_.nodes[reader];
      bool reads = false;
      for (int i = 0; i < n.count; ++i) reads = reads || base(reader, i) == id || repeats[base(reader, i)];
      if (!reads) continue;
      if (n.op->id == id_of<ops::index_check>) return true;
      if (fused_.views[reader].base != reader || (id == variable_.carried && is_result_of(n, variable_.loop))) continue;
      const int k = fused_.group_of[reader];
      if (fused_.inlined[reader]) repeats[reader] = true;
      else if (k < 0 || position_[k] > written || n.place != graph_.nodes[writer].place) return true;
    }
    return false;
  }
};

}  // namespace kroton::passes
