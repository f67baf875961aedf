// This pass finds a matrix that is multiplied by a vector, and of which another product then adds up the rows. The
// steps from the first product to the last can run for one block of rows after the other, so that a matrix that is
// larger than the caches is read once.
//
//     step 1: z = dot(X, w), step 2: cost = sum(f(z, y)), step 3: r = g(z, y), step 4: w + dot(X', r)
//       ->  steps 1, 3 and 4 in a row, with rows of axis 0; step 2, of which step 4 needs nothing, comes after them
//
// Steps before the last have rows (rows_of_steps.hpp), and may reduce all of them besides; the last sums over the rows
// that the others have written. What they write lives as long as they run, so that `z` and `r` are two vectors. Whether
// the steps do run so is decided when extents are known, see runtime/host/blocked_steps.hpp.
#pragma once

#include <kroton/passes/rows_of_steps.hpp>

namespace kroton::passes {

/// Orders the steps of a program without loops, and marks those that can run by blocks of rows.
class row_blocks {
 public:
  constexpr explicit row_blocks(program_builder& p) : p_(p), rows_(p, p.steps.size(), p.buffers.size()) {
    for (int s = 0; s < p.steps.size(); ++s) new_number_.push_back(s);
    int past = 0;  // of the steps found last
    for (int last = 1; last < p.steps.size(); ++last) {
      if (!sums_rows(last)) continue;
      for (int first = past; first < last; ++first) {
        if (!has_rows_of(first, last) || !join(first, last)) continue;
        past = last + 1;
        break;
      }
    }
  }
  /// The number that a step has now.
  constexpr int new_number(int s) const { return new_number_[s]; }

 private:
  /// When the steps between two others run.
  enum class turn { before, between, after };
  program_builder& p_;
  rows_of_steps<program_builder> rows_;
  array_list<int> new_number_;

  constexpr const access& access_of(const step& s, int a) const { return p_.accesses[s.first_access + a]; }
  static constexpr bool is_product(const step& s) { return s.kind == step_kind::dot && s.space.rank == 2; }

  /// Whether a step is the product of a vector and a matrix whose rows are contiguous, and sums over the rows.
  constexpr bool sums_rows(int last) const {
    const step& s = p_.steps[last];
    if (!is_product(s)) return false;
    return s.space[1] == 1 ? access_of(s, 0).stride[0] == 1 : s.space[0] == 1 && access_of(s, 1).stride[1] == 1;
  }
  /// Which operand is the matrix of a step that sums over rows; the other is the vector.
  static constexpr int matrix_of(const step& s) { return s.space[1] == 1 ? 0 : 1; }
  /// Whether a step multiplies the matrix over whose rows `last` sums by a vector, or a few.
  constexpr bool has_rows_of(int first, int last) const {
    constexpr extent_code few = 8;
    const step &s = p_.steps[first], &sum = p_.steps[last];
    if (!is_product(s) || s.space[0] != p_.parameters[sum.first_parameter]) return false;
    if (s.space[1] < 1 || s.space[1] > few) return false;
    const access &rows = access_of(s, 0), &summed = access_of(sum, matrix_of(sum));
    return rows.buffer == summed.buffer && rows.stride[1] == 1 &&
           rows.stride[0] == row_distance(sum, matrix_of(sum), summed, sum.space.rank);
  }
  /// When each of the steps [first, last] runs: between are those that lead from products of the matrix to the last.
  constexpr array_list<turn> turns_of(int first, int last) const {
    array_list<turn> turns(last - first + 1, turn::before);
    for (int s = first; s <= last; ++s) {
      bool is_after = s < last && has_rows_of(s, last);
      for (int t = first; t < s && !is_after; ++t) is_after = turns[t - first] == turn::after && depends(s, t);
      if (is_after) turns[s - first] = turn::after;
    }
    if (turns[last - first] == turn::after) turns[last - first] = turn::between;
    for (int s = last - 1; s >= first; --s)
      for (int t = s + 1; t <= last && turns[s - first] == turn::after; ++t)
        if (turns[t - first] == turn::between && depends(t, s)) turns[s - first] = turn::between;
    return turns;
  }
  /// Moves what is between two steps, but not needed by the last, before or after them. Returns whether the rest can
  /// run by blocks of rows; if it cannot, the steps stay where they were.
  constexpr bool join(int first, int last) {
    const array_list<turn> turns = turns_of(first, last);
    if (turns[0] != turn::between) return false;
    array_list<step> old;
    for (int s = first; s <= last; ++s) {
      old.push_back(p_.steps[s]);
      if (old.back().begins || old.back().segments > 1) return false;
    }
    array_list<int> number(old.size(), 0);
    int to = first, begin = first, past = first;
    for (const turn which : {turn::before, turn::between, turn::after}) {
      if (which == turn::between) begin = to;
      for (int i = 0; i < old.size(); ++i)
        if (turns[i] == which) p_.steps[number[i] = to++] = old[i];
      if (which == turn::between) past = to;
    }
    if (!mark(begin, past - 1)) {
      copy_items(&p_.steps[first], old, old.size());
      return false;
    }
    for (int& n : new_number_)
      if (n >= first && n <= last) n = number[n - first];
    return true;
  }
  /// Whether a step reads or writes what another writes, or writes what that reads.
  constexpr bool depends(int s, int t) const { return touches_result(s, t) || touches_result(t, s); }
  constexpr bool touches_result(int s, int writer) const {
    bool touches = false;
    for_each_result(p_.instructions, p_.steps[writer], [&](int result) {
      const int written = memory_of(p_.buffers, access_of(p_.steps[writer], result).buffer);
      for (int a = 0; a < p_.steps[s].accesses && !touches; ++a) {
        const int buffer = access_of(p_.steps[s], a).buffer;
        touches = buffer >= 0 && memory_of(p_.buffers, buffer) == written;
      }
    });
    return touches;
  }
  /// Marks the steps [first, last], if those before the last have rows and it sums over them.
  constexpr bool mark(int first, int last) {
    if (!rows_.find(first, last, 0, true) || !sums_written_rows(last)) return false;
    for (const index_range_check& check : p_.checks)
      for (int s = first; s <= last; ++s)
        for (int a = 0; a < p_.steps[s].accesses; ++a)
          if (access_of(p_.steps[s], a).buffer == check.where.buffer) return false;
    for (int s = first; s < last; ++s) p_.steps[s].row_axis = rows_.axis_of(s);
    p_.steps[last].row_axis = p_.steps[last].space.rank;
    p_.steps[first].blocked = last - first + 1;
    return true;
  }
  /// Whether a step sums over rows of a vector that the steps before it write, and they write nothing else of what it
  /// reads.
  constexpr bool sums_written_rows(int last) const {
    const step& s = p_.steps[last];
    const int vector = 1 - matrix_of(s);
    for (int a = 0; a < s.accesses; ++a)
      if (rows_.is_written(last, a) != (a == vector) || rows_.is_total(last, a)) return false;
    const access& x = access_of(s, vector);
    return x.offset == 0 && row_distance(s, vector, x, s.space.rank) == rows_.distance(last, vector);
  }
};

/// Keeps the memory of what blocked steps use apart. To be called when it is known which buffers share memory.
template <program_size Size>
constexpr void keep_blocked_memory(program<Size>& p) {
  for (int s = 0; s < Size.steps; ++s)
    if (p.steps[s].blocked > 0) live_throughout(p, s, s + p.steps[s].blocked);
}

}  // namespace kroton::passes
