// This pass finds the loops of which threads can divide the rows, so that each thread runs all iterations for its own
// rows, and waits for no other.
//
//     h' = tanh(dot(h, U) + x_t), h of (batch, 128)
//       ->  step 1: dot over (batch, 128), step 2: map over (batch, 128), both by rows of axis 0; the loop has `batch`
//       rows
//
// That is so if the steps have an axis in common along which each of them writes the rows of its result and reads, of
// what the loop writes, the same rows alone. Such a row is a range of neighbouring elements, at the same place in all
// accesses of a buffer. What the steps read besides, as weights are, is not changed by the loop.
#pragma once

#include <kroton/passes/program.hpp>

namespace kroton::passes {

template <program_size Size>
class loop_division {
 public:
  constexpr explicit loop_division(program<Size>& p) : p_(p), axis_of_(Size.steps, -1), rows_(Size.buffers) {
    int past = 0;  // of a divided loop around others
    for (int l = 0; l < Size.loops; ++l) {
      loop_of_steps& loop = p.loops[l];
      if (loop.first < past || !divide(loop)) continue;
      past = loop.past;
      live_throughout(loop);
    }
  }

 private:
  /// What the loop writes of a buffer.
  struct written_rows {
    bool is_written = false, is_known = false;
    extent_code distance = 0;  ///< of a row from the next
  };
  program<Size>& p_;
  array_list<int> axis_of_;  // of each step: the axis of the rows, -1: not known yet
  array_list<written_rows> rows_;

  constexpr const step& at(int s) const { return p_.steps[s]; }
  constexpr const access& access_of(int s, int a) const { return p_.accesses[at(s).first_access + a]; }
  constexpr written_rows& rows_of(int s, int a) { return rows_[memory_of(p_.buffers, access_of(s, a).buffer)]; }
  constexpr bool is_of_loop(int s, int a) { return access_of(s, a).buffer >= 0 && rows_of(s, a).is_written; }

  constexpr bool divide(loop_of_steps& loop) {
    if (loop.first == loop.past || !is_simple(loop)) return false;
    for (written_rows& r : rows_) r = {};
    for (int s = loop.first; s < loop.past; ++s)
      for (int a = 0; a < at(s).accesses; ++a)
        if (access_of(s, a).written) rows_of(s, a).is_written = true;
    for (int axis = 0; axis < at(loop.first).space.rank; ++axis) {
      if (!is_divided(loop, axis)) continue;
      loop.rows = at(loop.first).space[axis];
      for (int s = loop.first; s < loop.past; ++s) p_.steps[s].row_axis = axis_of_[s];
      return true;
    }
    return false;
  }
  /// Whether all steps of a loop are such that their rows can be divided, and nothing looks at the iterations.
  constexpr bool is_simple(const loop_of_steps& loop) const {
    for (int l = 0; l < Size.loops; ++l) {
      const loop_of_steps& inner = p_.loops[l];
      if (inner.first < loop.first || inner.past > loop.past) continue;
      if (inner.more.buffer >= 0 || (inner.loop != loop.loop && inner.guard.buffer >= 0)) return false;
    }
    for (int c = 0; c < Size.checks; ++c)
      if (p_.checks[c].after >= loop.first && p_.checks[c].after < loop.past) return false;
    for (int s = loop.first; s < loop.past; ++s)
      if (!is_divisible(at(s)) || at(s).place != at(loop.first).place) return false;
    return true;
  }
  constexpr bool is_divisible(const step& s) const {
    if (s.segments > 1) return false;
    if (s.kind != step_kind::dot) return is_fused(s.kind) && s.kind != step_kind::full;
    constexpr extent_code small = 32;  // products of smaller matrices have code of their own, for all rows
    const extent_code extents[] = {s.space[s.space.rank - 2], s.space[s.space.rank - 1],
                                   p_.parameters[s.first_parameter]};
    for (const extent_code e : extents)
      if (e < 0 || e > small) return true;
    return false;
  }
  /// Whether `axis` of the first step is that of rows. Buffers that are written and read tell the axes of all others.
  constexpr bool is_divided(const loop_of_steps& loop, int axis) {
    const extent_code count = at(loop.first).space[axis];
    constexpr extent_code least = 16;
    if (count >= 0 && count < least) return false;
    for (int s = loop.first; s < loop.past; ++s) axis_of_[s] = -1;
    for (written_rows& r : rows_) r.is_known = false;
    axis_of_[loop.first] = axis;
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (int s = loop.first; s < loop.past; ++s) {
        if (axis_of_[s] < 0 && (axis_of_[s] = axis_by_rows(s, count)) < 0) continue;
        for (int a = 0; a < at(s).accesses; ++a) {
          if (!is_of_loop(s, a) || rows_of(s, a).is_known) continue;
          rows_of(s, a).distance = row_distance(at(s), a, access_of(s, a), axis_of_[s]);
          rows_of(s, a).is_known = is_new = true;
        }
      }
    }
    for (int s = loop.first; s < loop.past; ++s)
      if (axis_of_[s] < 0 || !keeps_rows(s)) return false;
    return true;
  }
  /// The axis of step `s` along which it moves by rows that are known, -1: none.
  constexpr int axis_by_rows(int s, extent_code count) {
    for (int a = 0; a < at(s).accesses; ++a)
      for (int axis = 0; axis < at(s).space.rank && is_of_loop(s, a) && rows_of(s, a).is_known; ++axis)
        if (at(s).space[axis] == count && row_distance(at(s), a, access_of(s, a), axis) == rows_of(s, a).distance)
          return axis;
    return -1;
  }
  constexpr bool keeps_rows(int s) {
    const step& k = at(s);
    const int axis = axis_of_[s], rank = k.space.rank;
    if (is_reduced(k, axis) || (k.kind == step_kind::dot && axis == rank - 1)) return false;
    for (int a = 0; a < k.accesses; ++a) {
      if (k.kind == step_kind::dot && row_distance(k, a, access_of(s, a), axis) < 0 && axis < rank - 2) return false;
      if (is_of_loop(s, a) && !is_in_row(s, a, rows_of(s, a).distance)) return false;
    }
    return true;
  }
  /// Whether an access moves from row to row by `distance`, and what it has of a row lies between both.
  constexpr bool is_in_row(int s, int a, extent_code distance) const {
    const step& k = at(s);
    const access& x = access_of(s, a);
    const int axis = axis_of_[s], rank = k.space.rank;
    if (distance == 0 || row_distance(k, a, x, axis) != distance) return false;
    shape within;  // the extents and strides of the other axes
    extent_code stride[max_rank + 1] = {};
    const auto add = [&](extent_code extent, extent_code by) {
      if (by == 0 || extent == 1) return;
      stride[within.rank] = by;
      within.append(extent);
    };
    if (k.kind == step_kind::dot) {
      if (a == 0) add(p_.parameters[k.first_parameter], x.stride[rank - 1]);
      else if (a == 1) return false;
      else add(k.space[rank - 1], 1);
      if (axis < rank - 2) add(k.space[rank - 2], a == 0 ? x.stride[rank - 2] : k.space[rank - 1]);
      for (int i = 0; i < rank - 2; ++i)
        if (i != axis) return false;
    } else {
      for (int i = 0; i < rank; ++i)
        if (i != axis) add(k.space[i], x.stride[i]);
    }
    if (within.rank == 0) return x.offset == 0;
    if (within.rank == 1 && x.offset == 0 && stride[0] == 1 && within[0] == distance) return true;
    extent_code last = x.offset;
    for (int i = 0; i < within.rank; ++i) {
      if (last < 0 || within[i] < 1 || stride[i] < 0) return false;
      last += (within[i] - 1) * stride[i];
    }
    return last >= 0 && last < distance;
  }
  /// Threads are in different steps at the same time, so that nothing may share memory in the loop.
  constexpr void live_throughout(const loop_of_steps& loop) {
    for (int s = loop.first; s < loop.past; ++s)
      for (int a = 0; a < at(s).accesses; ++a) {
        if (access_of(s, a).buffer < 0) continue;
        buffer& b = p_.buffers[memory_of(p_.buffers, access_of(s, a).buffer)];
        if (b.first > loop.first) b.first = loop.first;
        if (b.last < loop.past - 1) b.last = loop.past - 1;
      }
  }
};

}  // namespace kroton::passes
