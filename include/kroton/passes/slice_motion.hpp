// This header finds nodes of which only a part is read, so that only that part is computed: slices move towards the
// operands.
//
//     %2 = exp(%0), %3 = dot(%2, %1), %4 = first rows of %3, and nothing else reads %2 and %3
//       ->  %5 = first rows of %0, %6 = exp(%5), %4 = dot(%6, %1)
//
// A slice passes elementwise operations, transposes and broadcasts, reductions over other axes, the rows and columns of
// a product, and lookups. It does not pass what checks indices, so that those of the other parts are checked, too, nor
// what reads a value in registers that is computed whole for another reader: `softmax(x)[kt::cols<0, 2>()]` stays one
// kernel.
#pragma once

#include <kroton/graph/ops.hpp>
#include <kroton/passes/live.hpp>

namespace kroton::passes {

template <class Graph>
class slice_motion {
 public:
  constexpr slice_motion(const Graph& f, const array_list<bool>& live)
      : f_(f), stays_(f.size.nodes, false), parts_(f.size.nodes, {}) {
    bool has_slices = false;
    for (int id = 0; id < f.size.nodes; ++id)
      has_slices = has_slices || (live[id] && f.nodes[id].op->kind == op_kind::slice);
    if (!has_slices) return;
    for (int i = 0; i < f.size.outputs; ++i) stays_[f.outputs[i]] = true;
    for (int i = 0; i < f.size.updates; ++i) stays_[f.updates[i].source] = true;
    for (bool is_changed = true; is_changed;) {  // again without what would need more memory
      parts_ = array_list<part>(f.size.nodes, {});
      for (int id = f.size.nodes - 1; id >= 0; --id)
        if (live[id]) tell_operands(id);
      is_changed = false;
      for (int id = 0; id < f.size.nodes; ++id)
        if (live[id] && is_cut(id) && needs_memory(id)) stays_[id] = is_changed = true;
    }
  }
  /// Whether only a slice of node `id` is computed.
  constexpr bool is_cut(int id) const { return parts_[id].is_read && !parts_[id].is_whole; }
  /// The shape of that slice.
  constexpr shape cut_shape(int id) const {
    shape s = shape_of(id);
    s[parts_[id].form.axis] = parts_[id].count;
    return s;
  }
  /// Operand `i` of node `id`, which is a slice or is cut itself, in `g`, where `renamed` says what nodes are.
  constexpr int operand_of(graph& g, const array_list<int>& renamed, int id, int i) const {
    const int x = operand(id, i);
    if (is_cut(x)) return renamed[x];
    const part wanted = part_of(id, i);
    return wanted.is_whole ? renamed[x] : slice_term({&g, renamed[x]}, wanted.form, wanted.count).id;
  }

 private:
  /// What is read of a node.
  struct part {
    bool is_read = false, is_whole = false;
    slice_form form{};
    extent_code count = 0;
  };
  const Graph& f_;
  array_list<bool> stays_;  // of each node: whether it is computed whole
  array_list<part> parts_;

  constexpr int operand(int id, int i) const { return f_.operands[f_.nodes[id].first + i]; }
  constexpr const shape& shape_of(int id) const { return f_.shapes[f_.nodes[id].shape]; }

  static constexpr bool can_be_cut(const node& n) {
    switch (n.op->kind) {
      case op_kind::map: return !n.op->draws && n.op->id != id_of<ops::index_check>;
      case op_kind::transpose:
      case op_kind::broadcast:
      case op_kind::take: return true;
      case op_kind::reduce: return n.op->id != id_of<ops::argmax> && n.op->id != id_of<ops::argmin>;
      case op_kind::dot: return n.op->id == id_of<ops::dot>;
      default: return false;
    }
  }
  /// Whether a kernel computes the elements of node `id`, or of what it is a view of.
  constexpr bool is_fused(int id) const {
    while (is_view(f_.nodes[id].op->kind) && f_.nodes[id].count > 0) id = operand(id, 0);
    const op_kind kind = f_.nodes[id].op->kind;
    return kind == op_kind::map || kind == op_kind::reduce || kind == op_kind::iota;
  }
  /// Whether a slice of an operand would have to be in memory that a kernel computes as a whole, for other readers, and
  /// hands on in registers if node `id` is whole, too.
  constexpr bool needs_memory(int id) const {
    const op_kind kind = f_.nodes[id].op->kind;
    if (kind == op_kind::dot || kind == op_kind::take) return false;  // their operands are in memory
    for (int i = 0; i < f_.nodes[id].count; ++i) {
      const int x = operand(id, i);
      if (!part_of(id, i).is_whole && !is_cut(x) && is_fused(x)) return true;
    }
    return false;
  }
  constexpr void tell_operands(int id) {
    if (stays_[id] || !can_be_cut(f_.nodes[id])) parts_[id].is_whole = true;
    for (int i = 0; i < f_.nodes[id].count; ++i) {
      part& x = parts_[operand(id, i)];
      const part wanted = part_of(id, i);
      const bool is_same = !x.is_read || (x.form.axis == wanted.form.axis && x.form.step == wanted.form.step &&
                                          x.form.first == wanted.form.first && x.count == wanted.count);
      if (wanted.is_whole || !is_same) x.is_whole = true;
      x.is_read = true;
      x.form = wanted.form;
      x.count = wanted.count;
    }
  }
  /// What node `id` reads of operand `i`.
  constexpr part part_of(int id, int i) const {
    const node& n = f_.nodes[id];
    const int x = operand(id, i);
    if (n.op->kind == op_kind::slice)
      return {true, false, slice_form::of(n.attr), shape_of(id)[slice_form::of(n.attr).axis]};
    const int axis = is_cut(id) ? axis_of(id, i) : -1;
    const bool broadcasts = axis >= 0 && shape_of(x)[axis] == 1 && shape_of(id)[parts_[id].form.axis] != 1;
    if (axis < 0 || broadcasts) return {true, true};
    const slice_form form = parts_[id].form;
    return {true, false, {axis, form.step, form.first}, parts_[id].count};
  }
  /// The axis of operand `i` along which node `id` is cut, -1: it has none.
  constexpr int axis_of(int id, int i) const {
    const node& n = f_.nodes[id];
    const int axis = parts_[id].form.axis, rank = shape_of(id).rank, missing = rank - shape_of(operand(id, i)).rank;
    switch (n.op->kind) {
      case op_kind::transpose: return permuted_axis(transpose_form::of(n.attr).order, axis);
      case op_kind::reduce: {
        int from = -1;
        for (int kept = -1; kept < axis;) kept += reduction_form::of(n.attr).is_over(++from) ? 0 : 1;
        return from;
      }
      case op_kind::dot: {
        const int row = rank - 2;
        return axis < row || i == axis - row ? axis - missing : -1;
      }
      case op_kind::take: {
        const int indices = shape_of(operand(id, 1)).rank;
        if (axis < indices) return i == 1 ? axis : -1;
        return i == 0 ? axis - indices + 1 : -1;
      }
      default: return axis - missing;  // aligned at the last axis
    }
  }
};

}  // namespace kroton::passes
