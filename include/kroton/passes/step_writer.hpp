// This header has what kernel_writer and call_writer share: it appends a step with its accesses to a program. Axes of
// extent 1 are left out of the space of a step.
//
//     read %0 (batch, 1, 8) in a step over (batch, 1, 8)  ->  space (batch, 8), access {buffer 0, strides {8, 1}}
#pragma once

#include <kroton/passes/grouping.hpp>
#include <kroton/passes/node_memory.hpp>

namespace kroton::passes {

class step_writer {
 public:
  /// `memory`: where the nodes lie that lie in memory.
  constexpr step_writer(graph& g, const grouping& fused, node_memory& memory, program_builder& p)
      : g_(g), fused_(fused), memory_(memory), buffer_of_(memory.buffer_of), program_(p) {}

 protected:
  graph& g_;
  const grouping& fused_;
  node_memory& memory_;
  const array_list<int>& buffer_of_;
  program_builder& program_;
  step step_;
  struct kept_axes {
    int axis[max_rank] = {};
    int count = 0;
  };
  kept_axes axes_;  // the axes of the step's space whose extent is not 1

  constexpr int base(int id) const { return fused_.views[id].base; }

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
    step_.has_short_rows = finds_short_rows(step_, program_.accesses.items + step_.first_access);
    program_.steps.push_back(step_);
  }
  /// Appends an instruction. Loads, stores and casts keep types such as float16; all others have the type in which they
  /// are computed.
  constexpr int append(instruction i) {
    const bool keeps =
        i.kind == instruction_kind::load || i.kind == instruction_kind::store || i.kind == instruction_kind::cast;
    if (!keeps) i.type = computed_in(i.type);
    program_.instructions.push_back(i);
    return program_.instructions.size() - 1 - step_.first_instruction;
  }
  constexpr stride_class class_of(const access& a) const {
    const int last = step_.space.rank - 1;
    if (last < 0 || a.stride[last] == 0) return stride_class::zero;
    return a.stride[last] == 1 ? stride_class::unit : stride_class::strided;
  }
  /// The access of a view of shape `s` from a reader whose axes are `at`; axes[i] is the space axis of the reader's
  /// axis i.
  constexpr access address(int buffer, const shape& s, const view_map& v, const shape& at, const int* axis_of) const {
    access a{buffer, memory_.offset_of(v), {}, false, memory_.move_of(v)};
    const int offset = at.rank - s.rank;
    for (int i = 0; i < at.rank; ++i) {
      if (at.extent[i] == 1 || i < offset || s.extent[i - offset] == 1) continue;
      for (int j = 0; j < axes_.count; ++j)
        if (axes_.axis[j] == axis_of[i]) a.stride[j] = v.stride[i - offset];
    }
    return a;
  }
  /// Space axes of the axes of a node of shape `at` (all of them, or those that are not reduced).
  constexpr void reader_axes(const shape& space, std::int64_t mask, const shape& at, bool is_reduced,
                             int* axis_of) const {
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
};

}  // namespace kroton::passes
