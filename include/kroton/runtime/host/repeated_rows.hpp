// This header finds maps over short rows in which some operands repeat one row, and makes long rows of them, so that
// packs are whole.
//
//     x (1000, 3) + t (3), packs of 8  ->  t is written 8 times side by side, and 125 rows of 24 elements are added
#pragma once

#include <kroton/runtime/host/lanes.hpp>
#include <kroton/runtime/program/bound_step.hpp>

#include <cstring>
#include <numeric>

namespace kroton::runtime::on_host {

/// The long rows of a map over the loops of the bound step `Bound::value`.
template <class Fused, class Bound>
class repeated_rows {
  static constexpr const auto& bound = Bound::value;
  static constexpr nest loops = bound.loops;
  using types = kernel_types<Fused>;
  using plan = typename types::plan;
  static constexpr std::int64_t longest = 256;
  static constexpr std::int64_t inner = loops.inner > 0 ? loops.inner : 1;

  static constexpr std::int64_t bytes_of(int access) {
    for (int k = 0; k < plan::count; ++k)
      if (plan::info[k].access == access) return size_of(plan::info[k].type);
    return 1;
  }
  static constexpr bool repeats(int access) {
    return bound.operands[access].outer[0] == 0 && bound.operands[access].inner != 0;
  }

 public:
  /// The elements of a long row, and of the rest after the last of them.
  static constexpr std::int64_t length = std::lcm(inner, std::int64_t{types::width}),
                                rest = loops.rows * inner % length;
  static constexpr bool are_there = [] {
    if (plan::kind != step_kind::map || loops.outer_rank != 1 || inner % types::width == 0 || length > longest ||
        loops.rows * inner < 2 * length)
      return false;
    for (int k = 0; k < plan::count; ++k)
      if (plan::info[k].kind == instruction_kind::index) return false;
    bool repeats_some = false;
    for (int a = 0; a < types::accesses; ++a) {
      const nest_operand& o = bound.operands[a];
      if (o.inner == 0 && o.outer[0] == 0) continue;
      if (o.inner != bytes_of(a) || (o.outer[0] != 0 && o.outer[0] != o.inner * inner)) return false;
      repeats_some = repeats_some || repeats(a);
    }
    return repeats_some;
  }();

  /// The loops over long rows, and over the rest.
  struct long_rows {
    static constexpr auto value = [] {
      auto b = bound;
      b.loops.rows = b.loops.outer[0] = loops.rows * inner / length;
      b.loops.inner = length;
      for (int a = 0; a < types::accesses; ++a)
        if (b.operands[a].outer[0] != 0) b.operands[a].outer[0] = b.operands[a].inner * length;
      return b;
    }();
  };
  struct last_row {
    static constexpr auto value = [] {
      auto b = bound;
      b.loops.rows = b.loops.outer[0] = 1;
      b.loops.inner = rest;
      return b;
    }();
  };

  /// Memory for repeated rows.
  struct copies {
    alignas(buffer_alignment) std::byte of[types::accesses + 1][length * 8];
  };
  /// Sets the strides of long rows, and lets operands that repeat a row begin at a copy of many.
  KROTON_INLINE static void repeat(nest_operand* operands, copies& made) {
    for_accesses([&](auto a) KROTON_INLINE_LAMBDA {
      if constexpr (repeats(a)) {
        constexpr std::int64_t bytes = bytes_of(a) * inner;
        for (std::int64_t i = 0; i < length / inner; ++i)
          std::memcpy(made.of[a] + i * bytes, operands[a].start, static_cast<std::size_t>(bytes));
        operands[a].start = made.of[a];
      }
      operands[a].outer[0] = long_rows::value.operands[a].outer[0];
    });
  }
  /// Moves operands to the rest.
  KROTON_INLINE static void move_to_rest(nest_operand* operands) {
    for_accesses([&](auto a) KROTON_INLINE_LAMBDA {
      operands[a].start = nest::moved(operands[a].start, long_rows::value.loops.rows * operands[a].outer[0]);
    });
  }

 private:
  template <class Body>
  KROTON_INLINE static void for_accesses(const Body& body) {
    [&]<int... A>(std::integer_sequence<int, A...>) KROTON_INLINE_LAMBDA {
      (body(std::integral_constant<int, A>()), ...);
    }
    (std::make_integer_sequence<int, types::accesses>());
  }
};

}  // namespace kroton::runtime::on_host
