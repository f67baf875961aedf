// Writes operations that have kernels of their own: matrix products, gathers and scatters, copies into parts of a tensor.
#pragma once

#include <kroton/passes/step_writer.hpp>

namespace kroton {

class call_writer : step_writer {
 public:
  using step_writer::step_writer;

  /// Appends the steps that compute node `id`.
  constexpr void write(int id) {
    const node& n = g_.nodes[id];
    if (n.op->kind == op_kind::concatenate) return concatenate(id);
    if (n.op->kind == op_kind::embed) return embed(id);
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
      program_.parameters.push_back(g_.extents.elements(g_.shape_of(index)));
      program_.parameters.push_back(row);
      program_.parameters.push_back(g_.shape_of(table)[0]);
    }
    step_.type = n.type;
    if (n.op->id == id_of<ops::gemm>) step_.factor = std::bit_cast<double>(n.attr.a);
    instruction types{instruction_kind::apply, false, n.type, stride_class::zero, n.op, {-1, -1, -1}, 0};
    if (step_.kind != step_kind::dot)
      types.value = static_cast<std::int64_t>(g_.nodes[step_.kind == step_kind::take ? y : x].type);
    append(types);
    finish();
  }

 private:
  constexpr access whole(int id) const {
    access a{buffer_of_[base(id)], fused_.views[id].offset, {}};
    for (int i = 0; i < g_.shape_of(id).rank; ++i) a.stride[i] = fused_.views[id].stride[i];
    return a;
  }
  /// A step that copies `x` (or writes zeros) to a part of the buffer of node `target`.
  constexpr void copy(int x, int target, const shape& s, const view_map& to) {
    begin(s, 0);
    instruction value{instruction_kind::constant, true, g_.nodes[target].type, stride_class::zero, &no_operation, {-1, -1, -1}, 0};
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
    instruction store{instruction_kind::store, false, g_.nodes[target].type, class_of(a), &no_operation, {made, -1, -1}, 0};
    store.value = program_.accesses.size() - step_.first_access;
    program_.accesses.push_back(a);
    append(store);
    finish();
  }
  constexpr void concatenate(int id) {
    const int axis = static_cast<int>(g_.nodes[id].attr.a);
    view_map to = fused_.views[id];
    for (int i = 0; i < g_.nodes[id].count; ++i) {
      const int x = g_.operand(id, i);
      copy(x, id, g_.shape_of(x), to);
      to.offset = g_.extents.add(to.offset, g_.extents.multiply(to.stride[axis], g_.shape_of(x)[axis]));
    }
  }
  constexpr void embed(int id) {
    copy(-1, id, g_.shape_of(id), fused_.views[id]);
    const int x = g_.operand(id, 0), axis = static_cast<int>(g_.nodes[id].attr.a & 15);
    view_map to = fused_.views[id];
    to.offset = g_.extents.add(to.offset, g_.extents.multiply(to.stride[axis], g_.nodes[id].attr.b));
    to.stride[axis] = g_.extents.multiply(to.stride[axis], g_.nodes[id].attr.a >> 4);
    copy(x, id, g_.shape_of(x), to);
  }
};

}  // namespace kroton
