// This header writes the steps of operations that are fused with nothing: matrix products, lookups of rows, routines,
// transfers, and copies into part of a tensor. Each of them has a step of its own.
//
//     %4 = dot(%0, %1)          ->  step dot over (m, n): reads buffers of %0 and %1, writes that of %4
//     %5 = concatenate(%2, %3)  ->  a fused copy of each operand that does not lie in its part of the buffer of %5
#pragma once

#include <kroton/passes/step_writer.hpp>

namespace kroton::passes {

class call_writer : step_writer {
 public:
  using step_writer::step_writer;

  /// Appends the steps that compute node `id`.
  constexpr void write(int id) {
    const node& n = g_.nodes[id];
    if (n.op->kind == op_kind::loop_rows) return;  // the body has written it
    if (n.op->kind == op_kind::loop_last) {
      const int carried = g_.operand(id, 0);
      const auto from = memory_.location_of_value(carried, loop_last_form::of(n.attr).back);
      return copy(carried, id, g_.shape_of(id), fused_.views[id], from.buffer, from.move);
    }
    if (n.op->kind == op_kind::concatenate) return concatenate(id);
    if (n.op->kind == op_kind::embed) return embed(id);
    if (n.op->kind == op_kind::routine) return routine(id);
    step_ = {};
    step_.kind = kind_of(n.op->kind);
    step_.type = n.type;
    step_.space = n.op->id == id_of<ops::gemm>
                      ? product_shape(g_.shape_of(g_.operand(id, 0)), g_.shape_of(g_.operand(id, 1)))
                      : g_.shape_of(id);
    step_.first_instruction = program_.instructions.size();
    step_.first_access = program_.accesses.size();
    step_.first_parameter = program_.parameters.size();
    const int given = result_access(step_);  // operands before the result
    for (int i = 0; i < given; ++i) add_access(g_.operand(id, i));
    program_.accesses.push_back(whole(id));
    for (int i = given; i < n.count; ++i) program_.accesses.push_back(whole(g_.operand(id, i)));
    add_parameters(id);
    step_.is_inserted = step_.kind == step_kind::transfer && !transfer_form::of(n.attr).is_written;
    if (n.op->id == id_of<ops::gemm> || n.op->id == id_of<ops::scatter_onto>) {
      step_.attr = n.attr;
      step_.product = gemm_form::of(n.attr);
    }
    instruction types{instruction_kind::apply, false, n.type, stride_class::zero, n.op};
    if (has_kernel(step_)) types.set_index_type(g_.nodes[index_of(id)].type);
    append(types);
    finish();
  }

 private:
  static constexpr step_kind kind_of(op_kind kind) {
    switch (kind) {
      case op_kind::dot: return step_kind::dot;
      case op_kind::take: return step_kind::take;
      case op_kind::scatter_add: return step_kind::scatter_add;
      default: return step_kind::transfer;
    }
  }
  /// The operand of a take or a scatter that has the indices.
  constexpr int index_of(int id) const { return g_.operand(id, step_.kind == step_kind::take ? 1 : 0); }

  constexpr void add_access(int operand) {
    access a = whole(operand);
    if (step_.kind == step_kind::dot) {  // batch axes that the operand lacks
      const shape& s = g_.shape_of(operand);
      const int missing = step_.space.rank - s.rank;
      for (int i = step_.space.rank - 1; i >= 0; --i) a.stride[i] = i < missing ? 0 : a.stride[i - missing];
    }
    program_.accesses.push_back(a);
  }
  constexpr void add_parameters(int id) {
    const shape& first = g_.shape_of(g_.operand(id, 0));
    if (step_.kind == step_kind::dot) {
      program_.parameters.push_back(first[first.rank - 1]);
    } else if (step_.kind == step_kind::transfer) {
      program_.parameters.push_back(g_.extents.elements(first));
    } else {  // number of indices, elements a row, elements of the table
      const shape &index = g_.shape_of(index_of(id)),
                  &rows = g_.shape_of(step_.kind == step_kind::take ? id : g_.operand(id, 1));
      extent_code row = 1;
      for (int i = index.rank; i < rows.rank; ++i) row = g_.extents.multiply(row, rows[i]);
      program_.parameters.push_back(g_.extents.elements(index));
      program_.parameters.push_back(row);
      program_.parameters.push_back(g_.extents.elements(step_.kind == step_kind::take ? first : g_.shape_of(id)));
    }
  }
  /// Accesses: the result, the operands, and workspace if there is any. Instructions: the operation, then a store of
  /// the result and a load of each operand, which have their types. Parameters: of each of these the rank and the
  /// extents.
  constexpr void routine(int id) {
    const node n = g_.nodes[id];
    step_ = {};
    step_.kind = step_kind::routine;
    step_.type = n.type;
    step_.space = g_.shape_of(id);
    step_.can_fail = !n.op->routine->cannot_fail;
    step_.attr = n.attr;
    step_.first_instruction = program_.instructions.size();
    step_.first_access = program_.accesses.size();
    step_.first_parameter = program_.parameters.size();
    append({instruction_kind::apply, false, n.type, stride_class::zero, n.op});
    add_tensor(id, instruction_kind::store);
    array_list<shape> operands;
    array_list<dtype> types;
    for (int i = 0; i < n.count; ++i) {
      const int x = g_.operand(id, i);
      add_tensor(x, instruction_kind::load);
      operands.push_back(g_.shape_of(x));
      types.push_back(g_.nodes[x].type);
    }
    const extent_code bytes = n.op->routine->workspace(g_.extents, operands.begin(), types.begin(), n.attr);
    if (bytes != 0) add_workspace(id, bytes);
    finish();
  }
  constexpr void add_tensor(int id, instruction_kind kind) {
    instruction of{kind, false, g_.nodes[id].type, stride_class::unit};
    of.set_access(program_.accesses.size() - step_.first_access);
    append(of);
    program_.accesses.push_back(whole(id));
    const shape& s = g_.shape_of(id);
    program_.parameters.push_back(s.rank);
    for (int axis = 0; axis < s.rank; ++axis) program_.parameters.push_back(s[axis]);
  }
  constexpr void add_workspace(int id, extent_code bytes) {
    access a{program_.buffers.size()};
    a.written = true;
    program_.accesses.push_back(a);
    buffer b{buffer_kind::temporary, 0, dtype::uint8, bytes};
    b.place = g_.nodes[id].place == anywhere ? at_home : g_.nodes[id].place;
    b.node = id;
    b.is_workspace = true;
    b.name = g_.nodes[id].op->name;
    program_.buffers.push_back(b);
  }
  constexpr access whole(int id) const {
    const view_map& v = fused_.views[id];
    access a{buffer_of_[v.base], memory_.offset_of(v), {}, false, memory_.move_of(v)};
    for (int i = 0; i < g_.shape_of(id).rank; ++i) a.stride[i] = v.stride[i];
    return a;
  }
  /// A step that copies `x` (or writes zeros) to a part of the buffer of node `target`.
  constexpr void copy(int x, int target, const shape& s, const view_map& to) {
    const int b = x < 0 ? -1 : base(x);
    const int from = b < 0 || g_.nodes[b].op->kind == op_kind::iota ? -1 : buffer_of_[b];
    copy(x, target, s, to, from, b < 0 ? -1 : memory_.move_of(fused_.views[x]));
  }
  /// The same from buffer `from`, where the value moves so.
  constexpr void copy(int x, int target, const shape& s, const view_map& to, int from, int move) {
    begin(s, 0);
    instruction value{instruction_kind::constant, true, g_.nodes[target].type};
    int axis_of[max_rank] = {};
    for (int i = 0; i < s.rank; ++i) axis_of[i] = i;
    if (x >= 0) {
      const node& b = g_.nodes[base(x)];
      access a = address(from, s, fused_.views[x], s, axis_of);
      a.move = move;
      if (b.op->kind == op_kind::constant) {
        value.set_bits(constant_form::of(b.attr).bits);
      } else {
        value.kind = a.buffer < 0 ? instruction_kind::index : instruction_kind::load;
        value.reduced = false;
        value.stride = class_of(a);
        program_.accesses.push_back(a);
      }
    }
    const int made = append(value);
    const access a = address(buffer_of_[target], s, to, s, axis_of);
    instruction store{instruction_kind::store, false, g_.nodes[target].type, class_of(a)};
    store.operand[0] = made;
    store.set_access(program_.accesses.size() - step_.first_access);
    program_.accesses.push_back(a);
    append(store);
    finish();
  }
  constexpr void concatenate(int id) {
    const int axis = concatenate_form::of(g_.nodes[id].attr).axis;
    view_map to = fused_.views[id];
    if (const int changed = memory_.changed_by(id); changed >= 0) {
      copy(changed, id, g_.shape_of(id), to, buffer_of_[changed], -1);
      program_.steps.back().begins = true;
    }
    for (int i = 0; i < g_.nodes[id].count; ++i) {
      const int x = g_.operand(id, i);
      if (!memory_.is_made_in(id, i)) copy(x, id, g_.shape_of(x), to);
      to.offset = g_.extents.add(to.offset, g_.extents.multiply(to.stride[axis], g_.shape_of(x)[axis]));
    }
  }
  constexpr void embed(int id) {
    copy(-1, id, g_.shape_of(id), fused_.views[id]);
    const int x = g_.operand(id, 0);
    const auto [axis, step, first] = slice_form::of(g_.nodes[id].attr);
    view_map to = fused_.views[id];
    to.offset = g_.extents.add(to.offset, g_.extents.multiply(to.stride[axis], first));
    to.stride[axis] = g_.extents.multiply(to.stride[axis], step);
    copy(x, id, g_.shape_of(x), to);
  }
};

}  // namespace kroton::passes
