// Turns a laid-out graph and its fusion groups into a program.
#pragma once

#include <kroton/passes/fuse.hpp>
#include <kroton/passes/program.hpp>

namespace kroton {

class lowering {
 public:
  constexpr explicit lowering(graph& g) : g_(g), fused_(g), buffer_of_(g.size(), -1), instruction_of_(g.size(), -1) {}

  constexpr program_builder run() {
    order_groups();
    find_stored();
    make_buffers();
    for (int k : order_) emit(k);
    program_.extents = g_.extents;
    program_.problem = g_.problem;
    return program_;
  }

 private:
  graph& g_;
  fusion fused_;
  program_builder program_;
  array_list<int> order_;        // groups
  array_list<int> position_;     // of each group in order_
  array_list<int> buffer_of_;    // of each stored node
  array_list<array_list<int>> members_;

  /// Groups after all they depend on; those that write new values as late as possible, so that more of them can do so
  /// in place.
  constexpr void order_groups() {
    const int count = fused_.groups.size();
    members_.resize(count);
    for (int id = 0; id < g_.size(); ++id)
      if (fused_.group_of[id] >= 0) members_[fused_.group_of[id]].push_back(id);
    array_list<bool> updates(count, false);
    for (const update_entry& u : g_.updates) updates[fused_.group_of[u.source]] = true;
    array_list<array_list<int>> dependents(count);
    array_list<int> missing(count, 0);
    for (int k = 0; k < count; ++k)
      for (int id : members_[k])
        for (int i = 0; i < g_.nodes[id].count; ++i) {
          const int h = fused_.group_of[base(g_.operand(id, i))];
          if (h < 0 || h == k) continue;
          dependents[h].push_back(k);
          ++missing[k];
        }
    array_list<int> ready, late;
    for (int k = 0; k < count; ++k)
      if (missing[k] == 0 && !members_[k].empty()) (updates[k] ? late : ready).push_back(k);
    position_.resize(count, -1);
    for (int next = 0, next_late = 0; next < ready.size() || next_late < late.size();) {
      const int k = next < ready.size() ? ready[next++] : late[next_late++];
      position_[k] = order_.size();
      order_.push_back(k);
      for (int d : dependents[k])
        if (--missing[d] == 0) (updates[d] ? late : ready).push_back(d);
    }
  }

  constexpr int base(int id) const { return fused_.views[id].base; }
  constexpr bool is_leaf_value(int id) const {
    const op_kind kind = g_.nodes[id].op->kind;
    return kind == op_kind::constant || kind == op_kind::extent || kind == op_kind::iota || fused_.inlined[id];
  }

  /// Marks (with buffer 0 for now) the computed nodes that are read outside their group.
  constexpr void find_stored() {
    for (int id : g_.outputs) buffer_of_[id] = 0;
    for (const update_entry& u : g_.updates) buffer_of_[u.source] = 0;
    for (int id = 0; id < g_.size(); ++id) {
      if (fused_.group_of[id] < 0 && !fused_.inlined[id]) continue;
      for (int i = 0; i < g_.nodes[id].count; ++i) {
        const int b = base(g_.operand(id, i));
        if ((fused_.group_of[b] < 0 || fused_.group_of[b] != fused_.group_of[id]) && !is_leaf_value(b)) buffer_of_[b] = 0;
      }
    }
  }
  constexpr extent_code elements(const shape& s) {
    extent_code n = 1;
    for (int i = 0; i < s.rank; ++i) n = g_.extents.multiply(n, s[i]);
    return n;
  }
  constexpr int position(int node) const { return position_[fused_.group_of[node]]; }
  constexpr void make_buffers() {
    array_list<int> shared_buffer(g_.shared.size(), -1);
    for (int id = 0; id < g_.size(); ++id) {
      if (buffer_of_[id] < 0) continue;
      const node& n = g_.nodes[id];
      buffer b{buffer_kind::temporary, 0, n.type, elements(g_.shape_of(id)), 0, 0};
      if (n.op->kind == op_kind::input || n.op->kind == op_kind::shared) {
        b.kind = n.op->kind == op_kind::input ? buffer_kind::input : buffer_kind::shared;
        b.index = static_cast<int>(n.attr.a);
        if (b.kind == buffer_kind::shared) shared_buffer[b.index] = program_.buffers.size();
      }
      buffer_of_[id] = program_.buffers.size();
      program_.buffers.push_back(b);
    }
    for (int i = 0; i < g_.outputs.size(); ++i) {
      buffer& b = program_.buffers[buffer_of_[g_.outputs[i]]];
      b.kind = buffer_kind::output;
      b.index = i;
    }
    array_list<array_list<int>> readers(g_.shared.size());  // of each shared variable
    for (int id = 0; id < g_.size(); ++id) {
      if (fused_.group_of[id] < 0 && !fused_.inlined[id]) continue;
      for (int i = 0; i < g_.nodes[id].count; ++i) {
        const node& read = g_.nodes[base(g_.operand(id, i))];
        if (read.op == op<ops::shared>) readers[static_cast<int>(read.attr.a)].push_back(id);
      }
    }
    for (const update_entry& u : g_.updates) {
      int target = shared_buffer[u.target];
      if (target < 0) {
        const variable& v = g_.shared[u.target];
        target = program_.buffers.size();
        program_.buffers.push_back({buffer_kind::shared, u.target, v.type, elements(g_.shapes[v.shape]), 0, 0});
      }
      if (shared_buffer[u.target] < 0 || in_place(u, readers[u.target])) {
        buffer& b = program_.buffers[buffer_of_[u.source]];
        b.kind = buffer_kind::shared;
        b.index = u.target;
      } else {
        program_.writes.push_back({buffer_of_[u.source], target});
      }
    }
    find_lives();
    find_checks();
  }
  /// Whether the new value can overwrite the old one: nothing later reads the old value, and the writing kernel reads
  /// just the element that it writes.
  constexpr bool in_place(const update_entry& u, const array_list<int>& readers) const {
    const int when = position(u.source);
    for (int id : readers) {
      if (fused_.inlined[id]) return false;
      for (int i = 0; i < g_.nodes[id].count; ++i) {
        const int x = g_.operand(id, i), b = base(x);
        if (g_.nodes[b].op != op<ops::shared> || g_.nodes[b].attr.a != u.target) continue;
        const int reads = position(id);
        if (reads < when) continue;
        if (reads > when) return false;
        const group& k = fused_.groups[order_[reads]];
        if (g_.nodes[id].op == op<ops::gemm> && i == 2 && id == u.source) continue;
        const bool same_element = g_.shape_of(x) == g_.shape_of(u.source) && fused_.views[x].offset == 0 &&
                                  row_major_from(g_.extents, g_.shape_of(x), fused_.views[x], 0) &&
                                  fused_.role_of[id] == fused_.role_of[u.source] && k.kind != group_kind::single &&
                                  (k.kind == group_kind::map || fused_.role_of[id] == role::reduced);
        if (!same_element) return false;
      }
    }
    return true;
  }
  constexpr void find_lives() {
    for (int id = 0; id < g_.size(); ++id) {
      if (fused_.group_of[id] < 0) continue;
      const int at = position(id);
      if (buffer_of_[id] >= 0) {
        buffer& b = program_.buffers[buffer_of_[id]];
        b.first = at;
        if (b.last < at) b.last = at;
      }
      for (int i = 0; i < g_.nodes[id].count; ++i) {
        const int b = buffer_of_[base(g_.operand(id, i))];
        if (b >= 0 && program_.buffers[b].last < at) program_.buffers[b].last = at;
      }
    }
    for (const write_back& w : program_.writes) program_.buffers[w.from].last = order_.size();
  }
  constexpr void find_checks() {
    for (int id = 0; id < g_.size(); ++id) {
      const node& n = g_.nodes[id];
      if (n.op != op<ops::index_check>) continue;
      const int b = base(g_.operand(id, 0));
      const op_kind kind = g_.nodes[b].op->kind;
      if (kind == op_kind::input || kind == op_kind::shared)
        program_.checks.push_back({buffer_of_[b], n.attr.a});
      else if (kind != op_kind::constant && g_.nodes[b].op != op<ops::argmax> && g_.nodes[b].op != op<ops::argmin>)
        g_.report(mistake::computed_index);
    }
  }

  // -- one group ------------------------------------------------------------------------------------------------------
  struct kept_axes {
    int axis[max_rank] = {};
    int count = 0;
  };
  step step_;
  kept_axes axes_;  // the axes of the group's space whose extent is not 1
  array_list<int> instruction_of_;  // of each node, within its group
  struct loaded {
    int operand;
    bool reduced;
    int instruction;
  };
  array_list<loaded> loads_;

  constexpr void begin(const shape& space, std::int64_t reduced_mask) {
    step_ = {};
    axes_ = {};
    for (int axis = 0; axis < space.rank; ++axis) {
      if (space[axis] == 1) continue;
      axes_.axis[axes_.count++] = axis;
      step_.space.append(space[axis]);
      step_.reduced += static_cast<int>((reduced_mask >> axis) & 1);
    }
    step_.first_instruction = program_.instructions.size();
    step_.first_access = program_.accesses.size();
    step_.first_parameter = program_.parameters.size();
  }
  constexpr void finish() {
    step_.instructions = program_.instructions.size() - step_.first_instruction;
    step_.accesses = program_.accesses.size() - step_.first_access;
    step_.parameters = program_.parameters.size() - step_.first_parameter;
    program_.steps.push_back(step_);
  }
  constexpr int append(const instruction& i) {
    program_.instructions.push_back(i);
    return program_.instructions.size() - 1 - step_.first_instruction;
  }
  constexpr stride_class class_of(const access& a) const {
    const int last = step_.space.rank - 1;
    if (last < 0 || a.stride[last] == 0) return stride_class::zero;
    return a.stride[last] == 1 ? stride_class::unit : stride_class::strided;
  }
  /// The access of a view of shape `s` from a reader whose axes are `at`; axes[i] is the space axis of the reader's axis i.
  constexpr access address(int buffer, const shape& s, const view_map& v, const shape& at, const int* axis_of) const {
    access a{buffer, v.offset, {}};
    const int offset = at.rank - s.rank;
    for (int i = 0; i < at.rank; ++i) {
      if (at[i] == 1 || i < offset || s[i - offset] == 1) continue;
      for (int j = 0; j < axes_.count; ++j)
        if (axes_.axis[j] == axis_of[i]) a.stride[j] = v.stride[i - offset];
    }
    return a;
  }
  /// Space axes of the axes of a node of shape `at` (all of them, or those that are not reduced).
  constexpr void reader_axes(const shape& space, std::int64_t mask, const shape& at, bool is_reduced, int* axis_of) const {
    if (!is_reduced) {
      for (int i = 0; i < at.rank; ++i) axis_of[i] = i;
      return;
    }
    int i = 0;
    for (int axis = 0; axis < space.rank; ++axis) {
      if (((mask >> axis) & 1) || space[axis] == 1) continue;
      while (i < at.rank && at[i] == 1) axis_of[i++] = -1;
      if (i < at.rank) axis_of[i++] = axis;
    }
    while (i < at.rank) axis_of[i++] = -1;
  }

  constexpr void emit(int k) {
    const group& gr = fused_.groups[k];
    if (gr.kind == group_kind::single) return emit_single(members_[k][0]);
    const shape space = g_.shapes[gr.space];
    begin(space, gr.axes);
    step_.kind = static_cast<step_kind>(gr.kind);
    if (step_.reduced == 0 && gr.kind != group_kind::map) step_.kind = step_kind::rows;  // reduces extents of 1 only
    else if (gr.kind == group_kind::columns && step_.reduced == step_.space.rank) step_.kind = step_kind::full;  // one column
    loads_.clear();
    for (int id : members_[k]) emit_node(k, id, space);
    for (int id : members_[k]) {
      if (buffer_of_[id] < 0) continue;
      const bool is_reduced = fused_.role_of[id] == role::reduced;
      int axis_of[max_rank] = {};
      reader_axes(space, gr.axes, g_.shape_of(id), is_reduced, axis_of);
      const access a = address(buffer_of_[id], g_.shape_of(id), fused_.views[id], g_.shape_of(id), axis_of);
      instruction store{instruction_kind::store, is_reduced, g_.nodes[id].type, class_of(a), nullptr, {}, 0};
      store.operand[0] = instruction_of_[id];
      store.value = program_.accesses.size() - step_.first_access;
      program_.accesses.push_back(a);
      append(store);
    }
    finish();
  }
  constexpr void emit_node(int k, int id, const shape& space) {
    const node& n = g_.nodes[id];
    const bool is_reduced = fused_.role_of[id] == role::reduced;
    const bool is_reduction = n.op->kind == op_kind::reduce;
    instruction i{is_reduction ? instruction_kind::reduce
                  : n.op == op<ops::cast> ? instruction_kind::cast
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
    instruction i{instruction_kind::load, is_reduced, n.type, stride_class::zero, nullptr, {-1, -1, -1}, 0};
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
    instruction i{n.op == op<ops::cast> ? instruction_kind::cast : instruction_kind::apply, true, n.type, stride_class::zero,
                  n.op, {-1, -1, -1}, 0};
    for (int j = 0; j < n.count; ++j) i.operand[j] = operand(k, g_.operand(id, j), shape{}, true, space);
    const int made = append(i);
    loads_.push_back({id, true, made});
    return made;
  }

  // -- operations with kernels of their own ------------------------------------------------------------------------------
  constexpr access whole(int id) const {
    access a{buffer_of_[base(id)], fused_.views[id].offset, {}};
    for (int i = 0; i < g_.shape_of(id).rank; ++i) a.stride[i] = fused_.views[id].stride[i];
    return a;
  }
  constexpr void emit_single(int id) {
    const node& n = g_.nodes[id];
    if (n.op->kind == op_kind::concatenate) return emit_concatenate(id);
    if (n.op->kind == op_kind::embed) return emit_embed(id);
    step_ = {};
    step_.kind = n.op->kind == op_kind::dot ? step_kind::dot
                 : n.op->kind == op_kind::take ? step_kind::take
                                               : step_kind::scatter_add;
    step_.space = g_.shape_of(id);
    step_.first_instruction = program_.instructions.size();
    step_.first_access = program_.accesses.size();
    step_.first_parameter = program_.parameters.size();
    const int x = g_.operand(id, 0), y = g_.operand(id, 1);
    array_list<int> operands;
    for (int operand : {x, y, id}) operands.push_back(operand);
    for (int i = 2; i < n.count; ++i) operands.push_back(g_.operand(id, i));
    for (int operand : operands) {
      access a = whole(operand);
      if (step_.kind == step_kind::dot) {  // batch axes that the operand lacks
        const shape& s = g_.shape_of(operand);
        const int missing = step_.space.rank - s.rank;
        for (int i = step_.space.rank - 1; i >= 0; --i) a.stride[i] = i < missing ? 0 : a.stride[i - missing];
      }
      program_.accesses.push_back(a);
    }
    if (step_.kind == step_kind::dot) {
      program_.parameters.push_back(g_.shape_of(x)[g_.shape_of(x).rank - 1]);
    } else {  // number of indices, elements a row, rows of the table
      const int index = step_.kind == step_kind::take ? y : x, table = step_.kind == step_kind::take ? x : id;
      extent_code row = 1;
      for (int i = 1; i < g_.shape_of(table).rank; ++i) row = g_.extents.multiply(row, g_.shape_of(table)[i]);
      program_.parameters.push_back(elements(g_.shape_of(index)));
      program_.parameters.push_back(row);
      program_.parameters.push_back(g_.shape_of(table)[0]);
    }
    instruction types{instruction_kind::apply, false, n.type, stride_class::zero, n.op, {-1, -1, -1}, n.attr.a};
    if (step_.kind != step_kind::dot)
      types.value = static_cast<std::int64_t>(g_.nodes[step_.kind == step_kind::take ? y : x].type);
    append(types);
    finish();
  }
  /// A step that copies `x` (or writes zeros) to a part of the buffer of node `target`.
  constexpr void emit_copy(int x, int target, const shape& s, const view_map& to) {
    begin(s, 0);
    instruction value{instruction_kind::constant, true, g_.nodes[target].type, stride_class::zero, nullptr, {-1, -1, -1}, 0};
    int axis_of[max_rank] = {};
    for (int i = 0; i < s.rank; ++i) axis_of[i] = i;
    if (x >= 0) {
      const int b = base(x);
      const access a = address(g_.nodes[b].op->kind == op_kind::iota ? -1 : buffer_of_[b], s, fused_.views[x], s, axis_of);
      if (g_.nodes[b].op->kind == op_kind::constant) {
        value.value = g_.nodes[b].attr.a;
      } else {
        value.kind = a.buffer < 0 ? instruction_kind::index : instruction_kind::load;
        value.reduced = false;
        value.stride = class_of(a);
        program_.accesses.push_back(a);
      }
    }
    const int made = append(value);
    const access a = address(buffer_of_[target], s, to, s, axis_of);
    instruction store{instruction_kind::store, false, g_.nodes[target].type, class_of(a), nullptr, {made, -1, -1}, 0};
    store.value = program_.accesses.size() - step_.first_access;
    program_.accesses.push_back(a);
    append(store);
    finish();
  }
  constexpr void emit_concatenate(int id) {
    const int axis = static_cast<int>(g_.nodes[id].attr.a);
    view_map to = fused_.views[id];
    for (int i = 0; i < g_.nodes[id].count; ++i) {
      const int x = g_.operand(id, i);
      emit_copy(x, id, g_.shape_of(x), to);
      to.offset = g_.extents.add(to.offset, g_.extents.multiply(to.stride[axis], g_.shape_of(x)[axis]));
    }
  }
  constexpr void emit_embed(int id) {
    emit_copy(-1, id, g_.shape_of(id), fused_.views[id]);
    const int x = g_.operand(id, 0), axis = static_cast<int>(g_.nodes[id].attr.a & 15);
    view_map to = fused_.views[id];
    to.offset = g_.extents.add(to.offset, g_.extents.multiply(to.stride[axis], g_.nodes[id].attr.b));
    to.stride[axis] = g_.extents.multiply(to.stride[axis], g_.nodes[id].attr.a >> 4);
    emit_copy(x, id, g_.shape_of(x), to);
  }
};

}  // namespace kroton
