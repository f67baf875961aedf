// This header knows where the nodes of a graph lie: in which buffer, at which element of it, and how that place moves
// in the iterations of a loop.
//
//     %7 = concatenate(%1 (3), %2 (4))   ->  %2 lies in the buffer of %7 from element 3 on, and is not copied there
//     %9 = concatenate(%8[:2], %1 (1), %8[3:])  ->  %9 begins as a copy of %8, which may lie there already (reuse.hpp)
//     %5 in loop 0, %6 = loop_rows(%5)   ->  %5 lies in row t of the buffer of %6
//     %3 = loop_carried(%1), its next %5 ->  %3 lies in row t - 1 of that buffer, in the first iteration in that of %1
#pragma once

#include <kroton/passes/carried_in_place.hpp>
#include <kroton/passes/program.hpp>

namespace kroton::passes {

class node_memory {
 public:
  array_list<int> buffer_of;  ///< of each node in memory, -1: others

  constexpr node_memory(graph& g, const grouping& fused, program_builder& p)
      : buffer_of(g.size(), -1), graph_(g), fused_(fused), program_(p), move_(g.loops.empty() ? 0 : g.size(), -1),
        result_of_(move_.size(), -1), whole_of_(move_.size(), -1) {
    for (int id = 0; id < move_.size(); ++id)
      if (is_loop_result(g.nodes[id].op->kind)) note_result(id);
    if (!move_.empty()) find_histories();
    for (const carried_pair& v : variables_) changes_in_place_.push_back(find_changes(v));
    for (int id = 0; id < g.size(); ++id)
      if (g.nodes[id].op->kind == op_kind::concatenate && fused.stored[id]) find_parts(id);
  }

  /// The first element of a view in the buffer of its base.
  constexpr extent_code offset_of(const view_map& v) {
    return v.base < 0 || part_.empty() ? v.offset : graph_.extents.add(part_[v.base].offset, v.offset);
  }
  /// Whether node `id` is made in the memory of another: of a concatenation, of which it is a part, or of the new value
  /// of a variable, which is made of it.
  constexpr bool is_part(int id) const { return !part_.empty() && part_[id].whole >= 0; }
  /// How the kernel that makes node `id` writes it.
  constexpr view_map written_as(int id) const {
    view_map v = fused_.views[id];
    if (!is_part(id) || !part_[id].is_apart) return v;
    for (int axis = 0; axis < max_rank; ++axis) v.stride[axis] = fused_.views[part_[id].whole].stride[axis];
    return v;
  }
  /// Whether operand `position` of the concatenation `whole` is made where it belongs, so that nothing has to copy it.
  constexpr bool is_made_in(int whole, int position) const {
    const int base = fused_.views[graph_.operand(whole, position)].base;
    if (!part_.empty() && part_[whole].changed >= 0) return is_kept_by(whole, position);
    if (!part_.empty() && part_[base].whole == whole && part_[base].position == position) return true;
    return !move_.empty() && whole_of_[base] == whole && position == 1;
  }

  /// The node that a concatenation has most elements of, in their places: it is written there as a whole before the
  /// other elements are. -1: there is none.
  constexpr int changed_by(int whole) const { return part_.empty() ? -1 : part_[whole].changed; }

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
  /// for so many of its values. Parts of concatenations lie in these.
  constexpr void place(auto give) {
    if (move_.empty()) return place_parts();
    array_list<int> variable_of(graph_.size(), -1);  // of each node: a variable of which it is the new value
    for (int i = 0; i < variables_.size(); ++i) variable_of[variables_[i].next] = i;
    for (int id = graph_.size() - 1; id >= 0; --id)  // rows of an inner loop may lie in what an outer one keeps
      if (result_of_[id] >= 0) lie_in_rows(id, result_of_[id]);
      else if (variable_of[id] >= 0 && buffer_of[id] < 0) lie_in_ring(variable_of[id], give);
    place_parts();
    for (int id = 0; id < graph_.size(); ++id)
      if (graph_.nodes[id].op->kind == op_kind::loop_carried && fused_.stored[id]) lie_before(id);
  }
  /// Whether a node lies where its loop keeps values of several iterations.
  constexpr bool is_kept(int id) const {
    if (move_.empty()) return false;
    bool kept = graph_.nodes[id].op->kind == op_kind::loop_carried || result_of_[id] >= 0 || whole_of_[id] >= 0;
    for (const carried_pair& v : variables_) kept = kept || v.next == id;
    return kept;
  }

  struct value_location {
    int buffer, move;
  };
  /// Where the value lies that is `back` iterations old, of the variable that node `carried` is a value of.
  constexpr value_location location_of_value(int carried, int back) {
    const loop_carried_form form = loop_carried_form::of(graph_.nodes[carried].attr);
    const int next = find(form)->next;
    access_move m = program_.moves[move_[next]];
    m.back = back;
    extent_table& extents = graph_.extents;
    const view_map& v = fused_.views[graph_.operand(carried, 0)];
    const extent_code row = extents.elements(graph_.shape_of(carried));
    m.initial = {buffer_of[v.base],
                 extents.add(offset_of(v), extents.multiply(row, form.kept - back)),
                 {row},
                 false,
                 move_of(v)};
    return {buffer_of[next], add(m)};
  }

 private:
  graph& graph_;
  const grouping& fused_;
  program_builder& program_;
  array_list<int> move_;       // of each node that is its own base, in the buffer
  array_list<int> result_of_;  // of each node: the result in whose rows it lies, -1: none
  array_list<int> whole_of_;   // of each result: the concatenate node of which it is the last part, -1: none
  array_list<carried_pair> variables_;
  array_list<bool> changes_in_place_;  // of each variable: whether iterations change it where it lies
  struct part {
    int whole = -1, position = 0;  ///< the node in whose memory it lies, and the operand of a concatenation that it is
    extent_code offset = 0;        ///< the first element of the part
    bool is_apart = false;         ///< its rows lie as far apart as those of the whole
    int changed = -1;              ///< of a concatenation: see changed_by
  };
  array_list<part> part_;  // of each node; empty where no node lies in the memory of another

  constexpr int add(const access_move& m) {
    program_.moves.push_back(m);
    return program_.moves.size() - 1;
  }
  constexpr void note_result(int id) {
    if (graph_.nodes[id].op->kind == op_kind::loop_rows) result_of_[graph_.operand(id, 0)] = id;
    note_carried(variables_, graph_, id);
  }
  /// Finds the rows that only a concatenation of what a variable begins with and its new values reads.
  constexpr void find_histories() {
    array_list<int> readers(graph_.size(), 0);
    for (int id : graph_.outputs) ++readers[id];
    for (const update_entry& u : graph_.updates) ++readers[u.source];
    for (const node& n : graph_.nodes)
      for (int i = 0; i < n.count; ++i) ++readers[graph_.operands[n.first + i]];
    for (int id = 0; id < graph_.size(); ++id)
      if (is_history(graph_, graph_.nodes[id]))
        if (const int rows = graph_.operand(id, 1); readers[rows] == 1) whole_of_[rows] = id;
  }
  /// Finds the operands of a concatenation that can be made in its memory: those of which it has all elements side by
  /// side, and which nothing needs elsewhere.
  constexpr void find_parts(int whole) {
    const int axis = concatenate_form::of(graph_.nodes[whole].attr).axis;
    if (part_.empty()) part_.resize(graph_.size(), {});
    if ((part_[whole].changed = find_changed(whole)) >= 0) return;
    bool is_beside = true;  // the elements of each part
    for (int before = 0; before < axis; ++before) is_beside = is_beside && graph_.shape_of(whole)[before] == 1;
    const extent_code row = fused_.views[whole].stride[axis];
    extent_code offset = 0;
    for (int i = 0; i < graph_.nodes[whole].count; ++i) {
      const int x = graph_.operand(whole, i);
      if (can_be_made_in(whole, x) && (is_beside || can_be_apart(whole, x)))
        part_[fused_.views[x].base] = {whole, i, offset, !is_beside};
      offset = graph_.extents.add(offset, graph_.extents.multiply(row, graph_.shape_of(x)[axis]));
    }
  }
  /// Whether an operand may be made in rows that are apart: what reads it besides is in the kernel that makes it, and
  /// the rows are so long that the kernel is not slower for it.
  constexpr bool can_be_apart(int whole, int x) const {
    constexpr extent_code least = 32;
    const int axis = concatenate_form::of(graph_.nodes[whole].attr).axis;
    const extent_code row = graph_.extents.multiply(graph_.shape_of(x)[axis], fused_.views[whole].stride[axis]);
    if (fused_.views[x].base != x || fused_.group_of[x] < 0 || (row >= 0 && row < least)) return false;
    int uses = 0;
    for (int id = x + 1; id < graph_.size(); ++id)
      for (int i = 0; i < graph_.nodes[id].count; ++i) {
        if (graph_.operand(id, i) != x) continue;
        if (id == whole) ++uses;
        else if (fused_.group_of[id] != fused_.group_of[x] || fused_.inlined[id]) return false;
      }
    return uses == 1;
  }
  constexpr bool can_be_made_in(int whole, int x) {
    const view_map& v = fused_.views[x];
    if (v.base < 0 || !fused_.stored[v.base] || is_part(v.base) || is_kept(v.base) || is_result(v.base)) return false;
    const node &made = graph_.nodes[v.base], &to = graph_.nodes[whole];
    const shape& s = graph_.shape_of(x);
    extent_table& extents = graph_.extents;
    return (made.op->kind == op_kind::map || made.op->kind == op_kind::reduce) && made.type == to.type &&
           made.loops == to.loops && made.place == to.place && v.offset == 0 && v.motion < 0 &&
           extents.elements(graph_.shapes[made.shape]) == extents.elements(s) && row_major_from(extents, s, v, 0);
  }
  /// The node of which a concatenation has more than half of the elements, in their places, so that what it has of
  /// others costs little if it may lie there.
  constexpr int find_changed(int whole) const {
    const int axis = concatenate_form::of(graph_.nodes[whole].attr).axis;
    const extent_code all = graph_.shape_of(whole)[axis];
    extent_code others = 0;
    int found = -1;
    for (int i = 0; i < graph_.nodes[whole].count; ++i) {
      const int x = graph_.operand(whole, i);
      const extent_code extent = graph_.shape_of(x)[axis];
      if (const int base = fused_.views[x].base;
          (found < 0 || base == found) && may_change(whole, base) && lies_in_place(whole, i))
        found = base;
      else if (extent < 0) return -1;
      else others += extent;
    }
    return found >= 0 && (all < 0 || 2 * others < all) ? found : -1;
  }
  /// Whether the memory of node `base` may become that of a concatenation.
  constexpr bool may_change(int whole, int base) const {
    if (base < 0 || !fused_.stored[base] || is_kept(base) || is_kept(whole) || is_result(base)) return false;
    const node &from = graph_.nodes[base], &to = graph_.nodes[whole];
    return from.op->kind != op_kind::input && from.type == to.type && from.place == to.place &&
           from.loops == to.loops && from.shape == to.shape;
  }
  /// Whether operand `position` of a concatenation lies at the same elements of its base.
  constexpr bool lies_in_place(int whole, int position) const {
    const view_map &to = fused_.views[whole], &v = fused_.views[graph_.operand(whole, position)];
    const int axis = concatenate_form::of(graph_.nodes[whole].attr).axis;
    const shape& s = graph_.shape_of(graph_.operand(whole, position));
    extent_code before = 0;
    for (int i = 0; i < position; ++i)
      before = graph_.extents.add(before, graph_.shape_of(graph_.operand(whole, i))[axis]);
    if (v.motion >= 0 || v.offset != graph_.extents.multiply(to.stride[axis], before)) return false;
    for (int i = 0; i < s.rank; ++i)
      if (s[i] != 1 && v.stride[i] != to.stride[i]) return false;
    return true;
  }
  constexpr bool is_kept_by(int whole, int position) const {
    return fused_.views[graph_.operand(whole, position)].base == part_[whole].changed && lies_in_place(whole, position);
  }
  /// Whether a node is an output or a new value, which have memory of their own.
  constexpr bool is_result(int id) const {
    for (int output : graph_.outputs)
      if (output == id) return true;
    for (const update_entry& u : graph_.updates)
      if (u.source == id) return true;
    return false;
  }
  constexpr void place_parts() {
    for (int id = 0; id < part_.size(); ++id) {
      if (!is_part(id)) continue;
      buffer_of[id] = buffer_of[part_[id].whole];
      if (!move_.empty()) move_[id] = move_[part_[id].whole];
    }
  }
  /// The variable of which `form` is a value; null: no result needs it.
  constexpr const carried_pair* find(const loop_carried_form& form) const {
    for (const carried_pair& v : variables_)
      if (v.loop == form.loop && v.number == form.number) return &v;
    return nullptr;
  }
  constexpr void lie_in_rows(int id, int result) {
    const node& r = graph_.nodes[result];
    const loop_rows_form form = loop_rows_form::of(r.attr);
    extent_table& extents = graph_.extents;
    const extent_code stride = extents.elements(graph_.shape_of(id));
    const extent_code last = extents.multiply(extents.subtract(form.iterations, 1), stride);
    const int whole = whole_of_[result], holder = whole >= 0 ? whole : result;
    const extent_code before = whole >= 0 ? extents.elements(graph_.shape_of(graph_.operand(whole, 0))) : 0;
    buffer_of[id] = buffer_of[result] = buffer_of[holder];
    move_[id] = add({.loop = form.loop,
                     .goes_back = form.reversed,
                     .stride = stride,
                     .offset = form.reversed ? last : before,  // no whole has its rows reversed, see is_history
                     .outer = move_[holder]});
  }
  /// How many values of the variables that have node `next` as new value are kept, with that.
  constexpr int rows_of_ring(int next) const {
    int rows = 0;
    for (const carried_pair& v : variables_) {
      const int kept = loop_carried_form::of(graph_.nodes[v.carried].attr).kept;
      if (v.next == next && rows < kept + 1) rows = kept + 1;
    }
    return rows;
  }
  /// Whether iterations change a variable where it lies; then what they make of it lies there, too.
  constexpr bool find_changes(const carried_pair& v) {
    if (result_of_[v.next] >= 0 || rows_of_ring(v.next) != 2) return false;
    for (const carried_pair& other : variables_)
      if (other.next == v.next && &other != &v) return false;
    const carried_in_place changes(graph_, fused_, v);
    if (changes.nodes.size() > 1 && part_.empty()) part_.resize(graph_.size(), {});
    for (int i = 1; i < changes.nodes.size(); ++i) part_[changes.nodes[i]].whole = v.next;
    return !changes.nodes.empty();
  }
  constexpr void lie_in_ring(int variable, auto give) {
    const carried_pair v = variables_[variable];
    const int rows = changes_in_place_[variable] ? 1 : rows_of_ring(v.next);
    buffer_of[v.next] = give(v.next, rows);
    const extent_code stride = graph_.extents.elements(graph_.shape_of(v.next));
    move_[v.next] = add({.loop = v.loop, .rows = rows, .stride = stride});
  }
  /// A value that is read before its iteration writes the next one.
  constexpr void lie_before(int id) {
    const loop_carried_form form = loop_carried_form::of(graph_.nodes[id].attr);
    if (find(form) == nullptr) return;  // of a loop that nobody needs
    const value_location at = location_of_value(id, form.back);
    buffer_of[id] = at.buffer;
    move_[id] = at.move;
  }
};

}  // namespace kroton::passes
