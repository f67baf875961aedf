// This header knows where the nodes of a graph lie: in which buffer, and how that place moves in the iterations of a
// loop.
//
//     %5 in loop 0, %6 = loop_rows(%5)   ->  %5 lies in row t of the buffer of %6
//     %3 = loop_carried(%1), its next %5 ->  %3 lies in row t - 1 of that buffer, in the first iteration in that of %1
#pragma once

#include <kroton/passes/grouping.hpp>
#include <kroton/passes/program.hpp>

namespace kroton::passes {

class node_memory {
 public:
  array_list<int> buffer_of;  ///< of each node in memory, -1: others

  constexpr node_memory(graph& g, const grouping& fused, program_builder& p)
      : buffer_of(g.size(), -1), graph_(g), fused_(fused), program_(p), move_(g.loops.empty() ? 0 : g.size(), -1) {}

  /// The move of an access to a view, -1: it does not move.
  constexpr int move_of(const view_map& v) {
    int move = move_.empty() || v.base < 0 ? -1 : move_.items[v.base];
    for (int m = v.motion; m >= 0;) {
      const loop_motion motion = graph_.extents.motions[m];
      move = add({.loop = motion.loop, .goes_back = motion.goes_back, .stride = motion.stride, .outer = move});
      m = motion.outer;
    }
    return move;
  }

  /// Finds where loops keep values, and gives memory to those that are in no result. `give` makes the buffer of a node,
  /// for so many of its values.
  constexpr void place_loops(auto give) {
    if (move_.empty()) return;
    array_list<int> result_of(graph_.size(), -1);  // of each node: the result in whose rows it lies
    for (int id = 0; id < graph_.size(); ++id) {
      const node& n = graph_.nodes[id];
      if (!is_loop_result(n.op->kind)) continue;
      const bool has_rows = n.op->kind == op_kind::loop_rows;
      if (has_rows) result_of[graph_.operand(id, 0)] = id;
      for (int i = has_rows ? 1 : 0; i < n.count; i += 2) note(graph_.operand(id, i), graph_.operand(id, i + 1));
    }
    for (int id = graph_.size() - 1; id >= 0; --id)
      if (result_of[id] >= 0) lie_in_rows(id, result_of[id]);
    for (const variable& v : variables_)
      if (buffer_of[v.next] < 0) lie_in_ring(v, give);
    for (int id = 0; id < graph_.size(); ++id)
      if (graph_.nodes[id].op->kind == op_kind::loop_carried && fused_.stored[id]) lie_before(id);
  }
  /// Whether a node lies where its loop keeps values of several iterations.
  constexpr bool is_kept(int id) const { return !move_.empty() && is_kept_[id]; }
  /// Finds the nodes that loops keep.
  constexpr void find_kept() {
    is_kept_.resize(graph_.size(), false);
    for (int id = 0; id < graph_.size(); ++id) {
      const node& n = graph_.nodes[id];
      if (n.op->kind == op_kind::loop_carried) is_kept_[id] = true;
      if (!is_loop_result(n.op->kind)) continue;
      const bool has_rows = n.op->kind == op_kind::loop_rows;
      if (has_rows) is_kept_[graph_.operand(id, 0)] = true;
      for (int i = has_rows ? 2 : 1; i < n.count; i += 2) is_kept_[graph_.operand(id, i)] = true;
    }
  }

 private:
  graph& graph_;
  const grouping& fused_;
  program_builder& program_;
  array_list<int> move_;  // of each node that is its own base, in the buffer
  array_list<bool> is_kept_;
  struct variable {
    int loop, number, next, kept;
  };
  array_list<variable> variables_;

  constexpr int add(const access_move& m) {
    program_.moves.push_back(m);
    return program_.moves.size() - 1;
  }
  constexpr void note(int carried, int next) {
    const loop_carried_form form = loop_carried_form::of(graph_.nodes[carried].attr);
    for (const variable& v : variables_)
      if (v.loop == form.loop && v.number == form.number) return;
    variables_.push_back({form.loop, form.number, next, form.kept});
  }
  constexpr void lie_in_rows(int id, int result) {
    const node& r = graph_.nodes[result];
    const loop_rows_form form = loop_rows_form::of(r.attr);
    extent_table& extents = graph_.extents;
    const extent_code stride = extents.elements(graph_.shape_of(id));
    const extent_code last = extents.multiply(extents.subtract(form.iterations, 1), stride);
    buffer_of[id] = buffer_of[result];
    move_[id] = add({.loop = form.loop,
                     .goes_back = form.reversed,
                     .stride = stride,
                     .offset = form.reversed ? last : 0,
                     .outer = move_[result]});
  }
  constexpr void lie_in_ring(const variable& v, auto give) {
    int rows = 0;  // of all variables that have this new value
    for (const variable& other : variables_)
      if (other.next == v.next && rows < other.kept + 1) rows = other.kept + 1;
    buffer_of[v.next] = give(v.next, rows);
    const extent_code stride = graph_.extents.elements(graph_.shape_of(v.next));
    move_[v.next] = add({.loop = v.loop, .rows = rows, .stride = stride});
  }
  /// A value that is read before its iteration writes the next one.
  constexpr void lie_before(int id) {
    const loop_carried_form form = loop_carried_form::of(graph_.nodes[id].attr);
    int next = -1;
    for (const variable& v : variables_)
      if (v.loop == form.loop && v.number == form.number) next = v.next;
    if (next < 0) return;  // of a loop that nobody needs
    buffer_of[id] = buffer_of[next];
    access_move m = program_.moves[move_[next]];
    m.back = form.back;
    extent_table& extents = graph_.extents;
    const view_map& v = fused_.views[graph_.operand(id, 0)];
    const extent_code row = extents.elements(graph_.shape_of(id));
    m.initial = {buffer_of[v.base],
                 extents.add(v.offset, extents.multiply(row, form.kept - form.back)),
                 {row},
                 false,
                 move_of(v)};
    move_[id] = add(m);
  }
};

}  // namespace kroton::passes
