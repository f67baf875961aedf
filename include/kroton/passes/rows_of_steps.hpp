// This header finds the rows of consecutive steps: an axis that the steps have in common, along which each of them
// writes the rows of its result and reads, of what the steps write, the same rows alone.
//
//     step 1: z = dot(X, w) over (n, 1), step 2: r = sigmoid(z) - y over (n)  ->  rows of axis 0 in both
//
// Such a row is a range of neighbouring elements, at the same place in all accesses of a buffer. So some rows can pass
// through all of these steps before other rows do, or beside them in another thread.
#pragma once

#include <kroton/graph/ops/argmax.hpp>
#include <kroton/graph/ops/argmin.hpp>
#include <kroton/passes/program.hpp>

namespace kroton::passes {

/// `Program`: a program, or the builder of one.
template <class Program>
class rows_of_steps {
 public:
  constexpr rows_of_steps(const Program& p, int steps, int buffers) : p_(p), axis_of_(steps, -1), rows_(buffers) {}

  /// Whether `axis` of step `first` is that of the rows of the steps [first, past). `with_totals`: steps may also
  /// reduce all rows, if no other step needs the result.
  constexpr bool find(int first, int past, int axis, bool with_totals = false) {
    for (written_rows& r : rows_) r = {};
    for (int s = first; s < past; ++s) {
      const bool is_total = with_totals && adds_up(at(s));
      if (!(is_total || is_divisible(at(s))) || at(s).place != at(first).place) return false;
      for_each_result(p_.instructions, at(s), [&](int a) {
        (is_total && moves_nowhere(s, a) ? rows_of(s, a).is_total : rows_of(s, a).is_written) = true;
      });
    }
    return is_divided(first, past, axis);
  }
  /// The axis of the rows of a step, and the distance of its access from one to the next, after they were found.
  constexpr int axis_of(int s) const { return axis_of_[s]; }
  /// Whether the steps write the buffer of an access, and then how far its rows are from one another.
  constexpr bool is_written(int s, int a) const { return access_of(s, a).buffer >= 0 && rows_of(s, a).is_written; }
  /// Whether an access is to the result of a step that reduces all rows.
  constexpr bool is_total(int s, int a) const { return access_of(s, a).buffer >= 0 && rows_of(s, a).is_total; }
  constexpr extent_code distance(int s, int a) const { return rows_of(s, a).distance; }

 private:
  /// What the steps write of a buffer.
  struct written_rows {
    bool is_written = false, is_total = false, is_known = false;
    extent_code distance = 0;  ///< of a row from the next
  };
  const Program& p_;
  array_list<int> axis_of_;  // of each step: the axis of the rows, -1: not known yet
  array_list<written_rows> rows_;

  constexpr const step& at(int s) const { return p_.steps[s]; }
  constexpr const access& access_of(int s, int a) const { return p_.accesses[at(s).first_access + a]; }
  constexpr written_rows& rows_of(int s, int a) { return rows_[memory_of(p_.buffers, access_of(s, a).buffer)]; }
  constexpr const written_rows& rows_of(int s, int a) const {
    return rows_[memory_of(p_.buffers, access_of(s, a).buffer)];
  }

  /// Whether a step reduces all elements, and needs not their positions for it.
  constexpr bool adds_up(const step& s) const {
    if (s.kind != step_kind::full || s.segments > 1) return false;
    for (int i = s.first_instruction, past = i + s.instructions; i < past; ++i) {
      const auto& op = p_.instructions[i].op->id;
      if (op == id_of<ops::argmax> || op == id_of<ops::argmin>) return false;
    }
    return true;
  }
  constexpr bool moves_nowhere(int s, int a) const {
    for (int axis = 0; axis < at(s).space.rank; ++axis)
      if (access_of(s, a).stride[axis] != 0) return false;
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
  constexpr bool is_divided(int first, int past, int axis) {
    const extent_code count = at(first).space[axis];
    constexpr extent_code least = 16;
    if (count >= 0 && count < least) return false;
    for (int s = first; s < past; ++s) axis_of_[s] = -1;
    axis_of_[first] = axis;
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (int s = first; s < past; ++s) {
        if (axis_of_[s] < 0 && (axis_of_[s] = axis_by_rows(s, count)) < 0) continue;
        for (int a = 0; a < at(s).accesses; ++a) {
          if (!is_written(s, a) || rows_of(s, a).is_known) continue;
          rows_of(s, a).distance = row_distance(at(s), a, access_of(s, a), axis_of_[s]);
          rows_of(s, a).is_known = is_new = true;
        }
      }
    }
    for (int s = first; s < past; ++s)
      if (axis_of_[s] < 0 || !keeps_rows(s)) return false;
    return true;
  }
  /// The axis of step `s` along which it moves by rows that are known, -1: none.
  constexpr int axis_by_rows(int s, extent_code count) {
    for (int a = 0; a < at(s).accesses; ++a)
      for (int axis = 0; axis < at(s).space.rank && is_written(s, a) && rows_of(s, a).is_known; ++axis)
        if (at(s).space[axis] == count && row_distance(at(s), a, access_of(s, a), axis) == rows_of(s, a).distance)
          return axis;
    return -1;
  }
  constexpr bool keeps_rows(int s) {
    const step& k = at(s);
    const int axis = axis_of_[s], rank = k.space.rank;
    if ((is_reduced(k, axis) && k.kind != step_kind::full) || (k.kind == step_kind::dot && axis == rank - 1))
      return false;
    for (int a = 0; a < k.accesses; ++a) {
      if (k.kind == step_kind::dot && row_distance(k, a, access_of(s, a), axis) < 0 && axis < rank - 2) return false;
      if (is_total(s, a) && !is_result(s, a)) return false;
      if (is_written(s, a) && !is_in_row(s, a, rows_of(s, a).distance)) return false;
    }
    return true;
  }
  constexpr bool is_result(int s, int a) const {
    bool is = false;
    for_each_result(p_.instructions, at(s), [&](int result) { is = is || result == a; });
    return is;
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
    if (within.rank == 0 && x.offset == 0) return true;
    if (within.rank == 1 && x.offset == 0 && stride[0] == 1 && within[0] == distance) return true;
    extent_code last = x.offset;
    for (int i = 0; i < within.rank; ++i) {
      if (last < 0 || within[i] < 1 || stride[i] < 0) return false;
      last += (within[i] - 1) * stride[i];
    }
    return last >= 0 && last < distance;
  }
};

/// Where some rows pass through the steps [first, past) before others do, nothing may share memory in these steps.
template <program_size Size>
constexpr void live_throughout(program<Size>& p, int first, int past) {
  for (int s = first; s < past; ++s)
    for (int a = p.steps[s].first_access, end = a + p.steps[s].accesses; a < end; ++a) {
      if (p.accesses[a].buffer < 0) continue;
      buffer& b = p.buffers[memory_of(p.buffers, p.accesses[a].buffer)];
      if (b.first > first) b.first = first;
      if (b.last < past - 1) b.last = past - 1;
    }
}

}  // namespace kroton::passes
