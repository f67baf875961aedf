// This header binds the steps of a program to the extents of a call: it computes loops, strides in bytes and
// parameters. Neighbouring axes over which every operand moves evenly become one loop.
//
//     map over (batch, 8), both operands contiguous, batch = 32  ->  one inner loop of 256 elements
#pragma once

#include <kroton/passes/program.hpp>
#include <kroton/runtime/context/error.hpp>
#include <kroton/runtime/program/bound_step.hpp>

#include <numeric>
#include <vector>

namespace kroton::runtime {

/// Binds the steps of a plan to the values of its symbols.
class step_binder {
 public:
  constexpr step_binder(const plan_view& plan, const std::int64_t* symbols) : plan_(plan), symbols_(symbols) {}

  void bind(const step& s, bound_step& b) const {
    const auto count = static_cast<std::size_t>(s.accesses);
    b.attr = s.attr;
    b.operands.assign(count, {});
    b.buffers.resize(count);
    b.moves.resize(count);
    b.starts.resize(count);
    b.distances.resize(count);
    b.parameters.resize(static_cast<std::size_t>(s.parameters));
    for (int i = 0; i < s.accesses; ++i) {
      const access& a = plan_.access_of(s, i);
      b.moves[i] = a.move;
      b.distances[i] = distance(a.move, unit(a));
    }
    bind_operands(s, b);
  }
  /// Binds what a step has without loops around it: parameters, buffers, offsets, strides and loops.
  constexpr void bind_operands(const step& s, auto& b) const {
    for (int i = 0; i < s.parameters; ++i) b.parameters[i] = value(plan_.parameters[s.first_parameter + i]);
    for (int i = 0; i < s.accesses; ++i) {
      const access& a = plan_.access_of(s, i);
      b.buffers[i] = a.buffer;
      b.starts[i] = product_of_extents(value(a.offset), unit(a));
    }
    if (is_fused(s.kind) || s.kind == step_kind::dot) bind_loops(s, b);
  }
  /// Binds a step to `count` rows from `first` on; `part` becomes the step of these rows. A product that sums over rows
  /// sums over these.
  void bind_rows(step& part, std::int64_t first, std::int64_t count, bound_step& b) const {
    const bool sums = part.row_axis == part.space.rank;
    if (!sums) part.space[part.row_axis] = count;
    bind(part, b);
    if (sums) b.parameters[0] = count;
    for (int i = 0; i < part.accesses; ++i) {
      const access& a = plan_.access_of(part, i);
      const std::int64_t distance = value(passes::row_distance(part, i, a, part.row_axis));
      b.starts[i] += product_of_extents(product_of_extents(distance, unit(a)), first);
    }
  }
  void bind(const access_move& m, bound_move& b) const {
    const std::int64_t stride = value(m.stride);
    b = {m.loop, m.back, m.rows, m.outer, value(m.offset), m.goes_back ? -stride : stride, value(m.initial.offset),
         stride};
  }

 private:
  const plan_view& plan_;
  const std::int64_t* symbols_;

  constexpr std::int64_t value(extent_code e) const { return extent_value(e, symbols_); }
  /// A number that divides all distances by which a move changes an address, in elements of `unit` bytes.
  std::int64_t distance(int move, std::int64_t unit) const {
    std::int64_t every = 0;
    for (; move >= 0; move = plan_.moves[move].outer) {
      const access_move& m = plan_.moves[move];
      for (const extent_code e : {m.offset, m.stride, m.initial.offset})
        every = std::gcd(every, product_of_extents(value(e), unit));
      if (m.initial.buffer >= 0) every = std::gcd(every, distance(m.initial.move, unit));
    }
    return every;
  }
  /// The unit of strides in bytes; 1 for an index, whose address is its value.
  constexpr std::int64_t unit(const access& a) const {
    return a.buffer < 0 ? 1 : size_of(plan_.buffers[a.buffer].type);
  }
  constexpr std::int64_t stride(const step& s, int i, int axis) const {
    const access& a = plan_.access_of(s, i);
    return product_of_extents(value(a.stride[axis]), unit(a));
  }

  /// The loop to which an axis belongs.
  enum class loop_level { outer, middle, inner };
  static constexpr loop_level level_of(const step& s, int axis) {
    if (s.kind == step_kind::dot) return loop_level::outer;
    if (axis == s.space.rank - 1) return loop_level::inner;
    return is_reduced(s, axis) ? loop_level::middle : loop_level::outer;
  }
  struct axis_loop {
    loop_level level = loop_level::outer;
    std::int64_t extent = 1;
    int axis = 0;  ///< the axis along which the operands move
  };

  /// A product has loops over its leading axes, along which its two factors move; the last two axes are those of its
  /// matrices.
  static constexpr int looped_axes(const step& s) { return s.kind == step_kind::dot ? s.space.rank - 2 : s.space.rank; }
  static constexpr int moved_accesses(const step& s) { return s.kind == step_kind::dot ? 2 : s.accesses; }

  /// Neighbouring axes over which every operand moves evenly are one loop.
  constexpr void bind_loops(const step& s, auto& b) const {
    axis_loop loops[max_rank];  // the innermost first
    int count = 0;
    for (int axis = looped_axes(s); axis-- > 0;) {
      const axis_loop slow{level_of(s, axis), value(s.space[axis]), axis};
      if (count > 0 && joins(s, slow, loops[count - 1]))
        loops[count - 1].extent = product_of_extents(loops[count - 1].extent, slow.extent);
      else loops[count++] = slow;
    }
    b.loops = {};
    while (count > 0) add_loop(s, loops[--count], b);
  }
  constexpr bool joins(const step& s, const axis_loop& slow, const axis_loop& fast) const {
    const bool inner_joins =
        fast.level == loop_level::inner &&
        (slow.level ==
         (s.kind == step_kind::map || s.kind == step_kind::over_columns ? loop_level::outer : loop_level::middle)) &&
        !(s.kind == step_kind::over_rows && s.reduced == 0);
    if (slow.level != fast.level && !inner_joins) return false;
    for (int i = 0; i < moved_accesses(s); ++i)
      if (stride(s, i, slow.axis) != product_of_extents(stride(s, i, fast.axis), fast.extent)) return false;
    return true;
  }
  constexpr void add_loop(const step& s, const axis_loop& loop, auto& b) const {
    nest& n = b.loops;
    const bool outer = loop.level == loop_level::outer;
    int& rank = outer ? n.outer_rank : n.middle_rank;
    if (loop.level == loop_level::inner) {
      n.inner = loop.extent;
    } else {
      (outer ? n.outer : n.middle)[rank] = loop.extent;
      std::int64_t& passes = outer ? n.rows : n.middles;
      passes = product_of_extents(passes, loop.extent);
    }
    for (int i = 0; i < moved_accesses(s); ++i) {
      nest_operand& operand = b.operands[i];
      (loop.level == loop_level::inner ? operand.inner : (outer ? operand.outer : operand.middle)[rank]) =
          stride(s, i, loop.axis);
    }
    if (loop.level != loop_level::inner) ++rank;
  }
};

}  // namespace kroton::runtime
