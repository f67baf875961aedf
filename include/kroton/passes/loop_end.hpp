// This header finds loops that can stop before their last iteration: those that only carry variables, none of which
// changes any more once a carried truth value is false. kt::until makes such loops.
//
//     runs = loop_carried(true), h' = where(runs, next, h), runs' = logical_and(runs, more), %9 = loop_last(h, ...)
//       ->  the host stops after the first iteration in which runs' is false
#pragma once

#include <kroton/passes/grouping.hpp>

namespace kroton::passes {

class loop_end {
 public:
  constexpr loop_end(graph& g, const grouping& fused, int loop) : graph_(g), fused_(fused) {
    for (int id = 0; id < g.size(); ++id) {
      const node& n = g.nodes[id];
      if (!is_loop_result(n.op->kind) || loop_row_form::loop_number(n.attr) != loop) continue;
      if (n.op->kind == op_kind::loop_rows || loop_last_form::of(n.attr).back != 1) return;  // needs several iterations
      note_carried(variables_, g, id);
    }
    for (const carried_pair& v : variables_)
      if (is_flag(v) && all_stay(v)) flag_ = v.next;
  }
  /// The node after whose first false value nothing changes, -1: there is none.
  constexpr int flag() const { return flag_; }

 private:
  graph& graph_;
  const grouping& fused_;
  int flag_ = -1;
  array_list<carried_pair> variables_;

  /// Whether operand `i` of node `id` has exactly the elements of a variable before the iteration.
  constexpr bool reads(int id, int i, const carried_pair& v) const {
    const int x = graph_.operand(id, i);
    const view_map& view = fused_.views[x];
    return view.base == v.carried && view.offset == 0 && view.motion < 0 &&
           same_size_ones(graph_.shape_of(x), graph_.shape_of(v.carried)) &&
           row_major_from(graph_.extents, graph_.shape_of(x), view, 0);
  }
  constexpr bool is_flag(const carried_pair& v) const {
    const node& next = graph_.nodes[v.next];
    return next.op->id == id_of<ops::logical_and> && graph_.shape_of(v.next).rank == 0 &&
           (reads(v.next, 0, v) || reads(v.next, 1, v));
  }
  /// Whether an iteration in which the flag is false leaves the variable as it is.
  constexpr bool stays(const carried_pair& v, const carried_pair& flag) const {
    if (v.next == flag.next) return true;
    if (loop_carried_form::of(graph_.nodes[v.carried].attr).kept != 1) return false;
    const node& next = graph_.nodes[v.next];
    if (next.op->id == id_of<ops::where>) return reads(v.next, 0, flag) && reads(v.next, 2, v);
    if (next.op->id != id_of<ops::add>) return false;
    const auto counts = [&](int i) {
      const int x = graph_.operand(v.next, i);
      return graph_.nodes[x].op->id == id_of<ops::cast> && reads(x, 0, flag);
    };
    return (reads(v.next, 0, v) && counts(1)) || (reads(v.next, 1, v) && counts(0));
  }
  constexpr bool all_stay(const carried_pair& flag) const {
    for (const carried_pair& v : variables_)
      if (!stays(v, flag)) return false;
    return true;
  }
};

}  // namespace kroton::passes
