// This header writes a group as one step whose instructions are the nodes of the group. Reads of memory become loads,
// and each node whose value lies in memory gets a store.
//
//     group {%1 = exp(%0), %2 = sum(%1, axis<1>)}  ->  step over rows: load 0, exp #0, sum #1, store 1 of #2
#pragma once

#include <kroton/passes/canonical_kernel.hpp>
#include <kroton/passes/step_writer.hpp>

namespace kroton::passes {

/// The step that a group of several nodes becomes.
constexpr step_kind step_of(group_kind kind) {
  return kind == group_kind::map            ? step_kind::map
         : kind == group_kind::over_rows    ? step_kind::over_rows
         : kind == group_kind::over_columns ? step_kind::over_columns
                                            : step_kind::full;
}

class kernel_writer : step_writer {
 public:
  constexpr kernel_writer(graph& g, const grouping& fused, node_memory& memory, program_builder& p)
      : step_writer(g, fused, memory, p), instruction_of_(g.size(), -1), loads_(2 * g.size()) {}

  /// Appends the step that computes the nodes `members` of group `k`.
  constexpr void write(int k, const array_list<int>& members) {
    const group_facts& gr = fused_.groups[k];
    const shape space = g_.shapes[gr.space];
    begin(space, gr.axes);
    step_.kind = step_of(gr.kind);
    if (step_.reduced == 0 && gr.kind != group_kind::map)
      step_.kind = step_kind::over_rows;  // reduces extents of 1 only
    else if (gr.kind == group_kind::over_columns && step_.reduced == step_.space.rank)
      step_.kind = step_kind::full;  // one column
    for (int id : members) emit_node(k, id, space);
    for (int id : members) {
      if (buffer_of_.items[id] < 0) continue;
      const bool is_reduced = fused_.role_of[id] == role::reduced;
      int axis_of[max_rank] = {};
      const shape& at = g_.shape_of(id);
      reader_axes(space, gr.axes, at, is_reduced, axis_of);
      const access a = address(buffer_of_.items[id], at, memory_.written_as(id), at, axis_of);
      instruction store{instruction_kind::store, is_reduced, g_.nodes.items[id].type};
      store.operand[0] = instruction_of_.items[id];
      give_access(store, a);
      append(store);
    }
    canonical_kernel(program_.instructions, step_.first_instruction);
    finish();
  }

 private:
  struct loaded {
    int group = -1;  ///< whose kernel has the instruction
    int instruction = -1;
    int view = -1;  ///< of a draw: the node that shows it; -1: itself
  };
  array_list<int> instruction_of_;  // of each node, within its group
  array_list<loaded> loads_;        // the last of each node, as elements and as a reduced value

  constexpr loaded& load_of(int x, bool is_reduced) { return loads_.items[2 * x + is_reduced]; }

  /// The instruction that computes node `n`, without its operands.
  constexpr instruction computed(const node& n, bool is_reduced) const {
    instruction i{instruction_kind::apply, is_reduced, n.type, stride_class::zero, n.op};
    if (n.op->kind == op_kind::reduce) i.kind = instruction_kind::reduce;
    if (n.op->id == id_of<ops::cast>) i.kind = instruction_kind::cast;
    return i;
  }
  /// Makes `a` the access of an instruction.
  constexpr void give_access(instruction& i, const access& a) {
    i.stride = class_of(a);
    i.set_access(program_.accesses.size() - step_.first_access);
    program_.accesses.push_back(a);
  }

  constexpr void emit_node(int k, int id, const shape& space) {
    const node& n = g_.nodes.items[id];
    const bool is_reduced = fused_.role_of[id] == role::reduced;
    const bool is_reduction = n.op->kind == op_kind::reduce;
    instruction i = computed(n, is_reduced);
    const shape& at = is_reduction ? space : g_.shapes.items[n.shape];
    for (int j = 0; j < n.count; ++j) {
      const int x = g_.operands.items[n.first + j];
      i.operand[j] = n.op->draws && g_.shape_of(x).rank == 0  // the state, which a kernel reads once
                         ? operand(k, x, shape{}, true, space)
                         : operand(k, x, at, is_reduced && !is_reduction, space);
    }
    instruction_of_.items[id] = append(i);
  }
  constexpr int operand(int k, int x, const shape& at, bool is_reduced, const shape& space) {
    const int b = fused_.views[x].base;
    if (fused_.group_of[b] == k && (x == b || !fused_.inlined[b])) return instruction_of_.items[b];
    if (fused_.inlined[b]) {
      if (g_.shape_of(b).rank == 0) return inline_scalar(k, b, space);
      int axis_of[max_rank] = {};
      reader_axes(space, fused_.groups[k].axes, at, is_reduced, axis_of);
      return draw(k, b, x, address(-1, g_.shape_of(x), fused_.views[x], at, axis_of), is_reduced, space);
    }
    if (const loaded& known = load_of(x, is_reduced); known.group == k) return known.instruction;
    const node& n = g_.nodes.items[b];
    instruction i{instruction_kind::load, is_reduced, n.type, stride_class::zero};
    if (n.op->kind == op_kind::constant) {
      i.kind = instruction_kind::constant;
      i.reduced = true;
      i.set_bits(constant_form::of(n.attr).bits);
    } else if (n.op->kind == op_kind::extent) {
      i.kind = instruction_kind::extent;
      i.reduced = true;
      i.set_parameter(program_.parameters.size() - step_.first_parameter);
      program_.parameters.push_back(extent_form::of(n.attr).extent);
    } else {
      int axis_of[max_rank] = {};
      reader_axes(space, fused_.groups[k].axes, at, is_reduced, axis_of);
      const access a =
          address(n.op->kind == op_kind::iota ? -1 : buffer_of_[b], g_.shape_of(x), fused_.views[x], at, axis_of);
      if (a.buffer < 0) i.kind = instruction_kind::index;
      give_access(i, a);
    }
    const int made = append(i);
    load_of(x, is_reduced) = {k, made};
    return made;
  }

  /// A draw that is repeated in this kernel, or what is computed from it: node `id` as its view `x` shows it, with the
  /// positions `where`.
  constexpr int draw(int k, int id, int x, const access& where, bool is_reduced, const shape& space) {
    const int view = x == fused_.views[x].base ? -1 : x;
    if (const loaded& known = load_of(id, is_reduced); known.group == k && known.view == view) return known.instruction;
    const node& n = g_.nodes.items[id];
    instruction i = computed(n, is_reduced);
    if (n.op->kind == op_kind::iota) {
      i.kind = instruction_kind::index;
      i.op = &no_operation;
      give_access(i, where);
    }
    for (int j = 0; j < n.count; ++j) {
      const int y = g_.operand(id, j);
      i.operand[j] =
          g_.shape_of(y).rank == 0 ? operand(k, y, shape{}, true, space) : draw(k, y, x, where, is_reduced, space);
    }
    const int made = append(i);
    load_of(id, is_reduced) = {k, made, view};
    return made;
  }

  /// Scalar arithmetic repeated in this kernel.
  constexpr int inline_scalar(int k, int id, const shape& space) {
    if (const loaded& known = load_of(id, true); known.group == k) return known.instruction;
    const node& n = g_.nodes.items[id];
    instruction i = computed(n, true);
    for (int j = 0; j < n.count; ++j) i.operand[j] = operand(k, g_.operand(id, j), shape{}, true, space);
    const int made = append(i);
    load_of(id, true) = {k, made};
    return made;
  }
};

}  // namespace kroton::passes
