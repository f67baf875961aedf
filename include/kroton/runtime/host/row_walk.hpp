// This header walks over the rows of a kernel: what is not on the innermost axis.
//
//     rows of (32, 12, 2), 8 floats each  ->  a loop over two rows, whose addresses move by what lies between rows
//     along
//                                             the last axis; then a step to the next of the 384 pairs
#pragma once

#include <kroton/config.hpp>
#include <kroton/kernel/nest.hpp>

#include <utility>

namespace kroton::runtime::on_host {

using kernel::nest;
using kernel::nest_operand;

// Loops over several axes. They are not compiled into each kernel, because they take little time beside a row.

/// Writes to `at` where the operands of `n` begin in row `row`.
[[gnu::noinline]] inline void find_row(const nest& n, int operands, std::int64_t row, std::byte** at) {
  for (int a = 0; a < operands; ++a) at[a] = nest::moved(n.operands[a].start, n.outer_offset(n.operands[a], row));
}
/// Writes to `offsets` how far line `m` of the middle axes is from the first.
[[gnu::noinline]] inline void find_line(const nest& n, int operands, std::int64_t m, std::int64_t* offsets) {
  for (int a = 0; a < operands; ++a) offsets[a] = n.middle_offset(n.operands[a], m);
}
/// Writes to `steps` how far each operand moves from the last of the rows along the last outer axis to the next row,
/// for each other axis whose index is the last to change.
[[gnu::noinline]] inline void find_steps(const nest& n, int operands, std::int64_t* steps) {
  for (int a = 0; a < operands; ++a) {
    std::int64_t back = 0;  // from the last index on the later axes to the first
    for (int axis = n.outer_rank - 1; axis >= 0; --axis) {
      const std::int64_t step = n.operands[a].outer[axis];
      steps[axis * operands + a] = step - back;
      back += step * (n.outer[axis] - 1);
    }
  }
}
/// Moves `at` from the last of the rows along the last outer axis to the next row, and `index`, which the row has on
/// the other axes. No index is divided.
[[gnu::noinline]] inline void find_next_row(const nest& n, int operands, const std::int64_t* steps, std::int64_t* index,
                                            std::byte** at) {
  int axis = n.outer_rank - 2;
  for (; axis > 0 && ++index[axis] == n.outer[axis]; --axis) index[axis] = 0;
  for (int a = 0; a < operands; ++a) at[a] = nest::moved(at[a], steps[axis * operands + a]);
}

/// The addresses at which `Operands` operands begin in a row.
template <int Operands>
struct row_cursor {
  std::byte* at[Operands + 1] = {};

  static row_cursor of_row(const nest& n, std::int64_t row) {
    row_cursor c;
    if (n.outer_rank <= 1) {  // the usual case, whose addresses stay in registers
      for (int a = 0; a < Operands; ++a) c.at[a] = nest::moved(n.operands[a].start, row * n.operands[a].outer[0]);
    } else {
      row_cursor found;
      find_row(n, Operands, row, found.at);
      for (int a = 0; a < Operands; ++a) c.at[a] = found.at[a];
    }
    return c;
  }
};

/// Calls `body` with the cursor of each of the rows [first, past). The loop over the rows along the last outer axis
/// keeps addresses in registers.
template <int Operands, class Body>
KROTON_INLINE void each_row(const nest& n, std::int64_t first, std::int64_t past, const Body& body) {
  if (first >= past) return;
  const int last_axis = n.outer_rank - 1;
  const std::int64_t line = last_axis > 0 ? n.outer[last_axis] : past;
  std::int64_t step[Operands + 1], index[max_rank], steps[max_rank * Operands + 1];
  for (int a = 0; a < Operands; ++a) step[a] = last_axis < 0 ? 0 : n.operands[a].outer[last_axis];
  if (last_axis > 0) {
    find_steps(n, Operands, steps);
    std::int64_t rest = first / line;
    for (int axis = last_axis; axis-- > 0; rest /= n.outer[axis]) index[axis] = rest % n.outer[axis];
  }
  auto at = row_cursor<Operands>::of_row(n, first);
  std::int64_t left = past - first, here = line - first % line;  // of the rows, and of those on the line
  while (true) {
    if (here > left) here = left;
    left -= here;
    while (true) {
      body(std::as_const(at));
      if (--here == 0) break;
      for (int a = 0; a < Operands; ++a) at.at[a] = nest::moved(at.at[a], step[a]);
    }
    if (left == 0) return;
    auto next = at;
    find_next_row(n, Operands, steps, index, next.at);
    at = next;
    here = line;
  }
}

}  // namespace kroton::runtime::on_host
