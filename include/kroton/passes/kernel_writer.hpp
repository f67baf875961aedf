// Writes fusion groups as steps whose instructions are the nodes of the group.
#pragma once

#include <kroton/passes/step_writer.hpp>

namespace kroton {

class kernel_writer : step_writer {
 public:
  constexpr kernel_writer(graph& g, const grouping& fused, const array_list<int>& buffer_of, program_builder& p)
      : step_writer(g, fused, buffer_of, p), instruction_of_(g.size(), -1) {}

  /// Appends the step that computes the nodes `members` of group `k`.
  constexpr void write(int k, const array_list<int>& members) {
    const group_facts& gr = fused_.groups[k];
    const shape space = g_.shapes[gr.space];
    begin(space, gr.axes);
    step_.kind = static_cast<step_kind>(gr.kind);
    if (step_.reduced == 0 && gr.kind != group_kind::map) step_.kind = step_kind::rows;  // reduces extents of 1 only
    else if (gr.kind == group_kind::columns && step_.reduced == step_.space.rank) step_.kind = step_kind::full;  // one column
    loads_.clear();
    for (int id : members) emit_node(k, id, space);
    for (int id : members) {
      if (buffer_of_[id] < 0) continue;
      const bool is_reduced = fused_.role_of[id] == role::reduced;
      int axis_of[max_rank] = {};
      reader_axes(space, gr.axes, g_.shape_of(id), is_reduced, axis_of);
      const access a = address(buffer_of_[id], g_.shape_of(id), fused_.views[id], g_.shape_of(id), axis_of);
      instruction store{instruction_kind::store, is_reduced, g_.nodes[id].type, class_of(a), &no_operation, {}, 0};
      store.operand[0] = instruction_of_[id];
      store.value = program_.accesses.size() - step_.first_access;
      program_.accesses.push_back(a);
      append(store);
    }
    finish();
  }
 private:
  struct loaded {
    int operand;
    bool reduced;
    int instruction;
  };
  array_list<int> instruction_of_;  // of each node, within its group
  array_list<loaded> loads_;

  constexpr void emit_node(int k, int id, const shape& space) {
    const node& n = g_.nodes[id];
    const bool is_reduced = fused_.role_of[id] == role::reduced;
    const bool is_reduction = n.op->kind == op_kind::reduce;
    instruction i{is_reduction                   ? instruction_kind::reduce
                  : n.op->id == id_of<ops::cast> ? instruction_kind::cast
                                                 : instruction_kind::apply,
                  is_reduced, n.type, stride_class::zero, n.op, {-1, -1, -1}, 0};
    for (int j = 0; j < n.count; ++j) {
      const int x = g_.operand(id, j);
      const shape& at = is_reduction ? space : g_.shape_of(id);
      i.operand[j] = operand(k, x, at, is_reduced && !is_reduction, space);
    }
    instruction_of_[id] = append(i);
  }
  constexpr int operand(int k, int x, const shape& at, bool is_reduced, const shape& space) {
    const int b = base(x);
    const node& n = g_.nodes[b];
    if (fused_.group_of[b] == k) return instruction_of_[b];
    if (fused_.inlined[b]) return inline_scalar(k, b, space);
    for (const loaded& l : loads_)
      if (l.operand == x && l.reduced == is_reduced) return l.instruction;
    instruction i{instruction_kind::load, is_reduced, n.type, stride_class::zero, &no_operation, {-1, -1, -1}, 0};
    if (n.op->kind == op_kind::constant) {
      i.kind = instruction_kind::constant;
      i.reduced = true;
      i.value = n.attr.a;
    } else if (n.op->kind == op_kind::extent) {
      i.kind = instruction_kind::extent;
      i.reduced = true;
      i.value = program_.parameters.size() - step_.first_parameter;
      program_.parameters.push_back(n.attr.a);
    } else {
      int axis_of[max_rank] = {};
      reader_axes(space, fused_.groups[k].axes, at, is_reduced, axis_of);
      const access a = address(n.op->kind == op_kind::iota ? -1 : buffer_of_[b], g_.shape_of(x), fused_.views[x], at, axis_of);
      if (a.buffer < 0) i.kind = instruction_kind::index;
      i.stride = class_of(a);
      i.value = program_.accesses.size() - step_.first_access;
      program_.accesses.push_back(a);
    }
    const int made = append(i);
    loads_.push_back({x, is_reduced, made});
    return made;
  }

  /// Scalar arithmetic repeated in this kernel.
  constexpr int inline_scalar(int k, int id, const shape& space) {
    for (const loaded& l : loads_)
      if (l.operand == id && l.reduced) return l.instruction;
    const node& n = g_.nodes[id];
    instruction i{n.op->id == id_of<ops::cast> ? instruction_kind::cast : instruction_kind::apply,
                  true, n.type, stride_class::zero, n.op, {-1, -1, -1}, 0};
    for (int j = 0; j < n.count; ++j) i.operand[j] = operand(k, g_.operand(id, j), shape{}, true, space);
    const int made = append(i);
    loads_.push_back({id, true, made});
    return made;
  }
};

}  // namespace kroton
