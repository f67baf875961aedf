// This pass finds the loops of which threads can divide the rows, so that each thread runs all iterations for its own
// rows, and waits for no other.
//
//     h' = tanh(dot(h, U) + x_t), h of (batch, 128)
//       ->  step 1: dot over (batch, 128), step 2: map over (batch, 128), both by rows of axis 0; the loop has `batch`
//       rows
//
// That is so if the steps have rows (rows_of_steps.hpp). What they read besides, as weights are, is not changed by the
// loop.
#pragma once

#include <kroton/passes/rows_of_steps.hpp>

namespace kroton::passes {

template <program_size Size>
class loop_division {
 public:
  constexpr explicit loop_division(program<Size>& p) : p_(p), rows_(p, Size.steps, Size.buffers) {
    int past = 0;  // of a divided loop around others
    for (int l = 0; l < Size.loops; ++l) {
      loop_of_steps& loop = p.loops[l];
      if (loop.first < past || !divide(loop)) continue;
      past = loop.past;
      live_throughout(p, loop.first, loop.past);
    }
  }

 private:
  program<Size>& p_;
  rows_of_steps<program<Size>> rows_;

  constexpr bool divide(loop_of_steps& loop) {
    if (loop.first == loop.past || !is_simple(loop)) return false;
    const shape& space = p_.steps[loop.first].space;
    for (int axis = 0; axis < space.rank; ++axis) {
      if (!rows_.find(loop.first, loop.past, axis)) continue;
      loop.rows = space[axis];
      for (int s = loop.first; s < loop.past; ++s) p_.steps[s].row_axis = rows_.axis_of(s);
      return true;
    }
    return false;
  }
  /// Whether nothing looks at the iterations of a loop.
  constexpr bool is_simple(const loop_of_steps& loop) const {
    for (int l = 0; l < Size.loops; ++l) {
      const loop_of_steps& inner = p_.loops[l];
      if (inner.first < loop.first || inner.past > loop.past) continue;
      if (inner.more.buffer >= 0 || (inner.loop != loop.loop && inner.guard.buffer >= 0)) return false;
    }
    for (int c = 0; c < Size.checks; ++c)
      if (p_.checks[c].after >= loop.first && p_.checks[c].after < loop.past) return false;
    return true;
  }
};

}  // namespace kroton::passes
