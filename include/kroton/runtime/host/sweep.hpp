// This header has the innermost loop of a fused kernel.
//
//     sweep<Fused, 0>::run(e, start, 0, 1000, ...), packs of 16  ->  62 whole packs, and one of which 8 lanes count
//
// A loop that costs little has two bodies: one for whole packs, which a reduction repeats for several packs side by
// side, and one that asks how much of a pack is left. A loop with much arithmetic has the second body alone: the
// question costs little beside the arithmetic, and another body would take as long to compile as the first.
#pragma once

#include <kroton/runtime/host/row_values.hpp>

namespace kroton::runtime::on_host {

template <class Fused, int Phase>
class sweep {
 public:
  using eval = evaluator<Fused>;
  using types = typename eval::types;
  using cursor = typename eval::cursor;
  using parts = typename types::parts;
  using row_values = typename types::row_values;
  using totals = typename types::totals;
  using loop = typename types::template loop<Phase>;
  using evaluated = typename loop::evaluated;
  using reductions = typename loop::reductions;
  static constexpr int width = types::width;

  /// Evaluates the elements [begin, end) of the innermost axis at `start`; `position` is the position of element 0.
  static void run(const eval& evaluator, const cursor& start, std::int64_t begin, std::int64_t end,
                  const row_values& values, totals& sums, std::int64_t position) {
    const eval e = evaluator;  // copies that no store can change, so that they stay in registers
    const cursor at = start;
    const row_values rows = values;
    std::int64_t i = begin;
    if constexpr (!loop::reduces) {
      parts none;
      if constexpr (cheap)
        for (; i + width <= end; i += width)
          e.template evaluate<Phase>(evaluated(), {at, i, width, position + i}, rows, none);
      for (; i < end; i += width)
        e.template evaluate<Phase>(evaluated(), {at, i, left(i, end), position + i}, rows, none);
    } else {
      if constexpr (cheap)
        while (i + unroll * width <= end)
          i = block(std::make_integer_sequence<int, unroll>(), e, at, i, end, rows, sums, position);
      while (i < end) {
        parts part;
        for (const std::int64_t last = std::min(end, i + packs_in_part * width); i < last; i += width)
          e.template evaluate<Phase>(evaluated(), {at, i, left(i, end), position + i}, rows, part);
        types::collect(reductions(), sums, part);
      }
    }
  }

 private:
  static constexpr bool cheap = types::cost(Phase) <= 32;
  /// Packs that are reduced side by side, so that a loop need not wait for its own sum. Such a wait takes as long as
  /// about eight instructions.
  static constexpr int unroll = types::cost(Phase) <= 4 ? 4 : types::cost(Phase) <= 8 ? 2 : 1;

  static int left(std::int64_t i, std::int64_t end) { return static_cast<int>(std::min<std::int64_t>(width, end - i)); }

  template <int... U>
  static std::int64_t block(std::integer_sequence<int, U...>, const eval& e, const cursor& at, std::int64_t i,
                            std::int64_t end, const row_values& rows, totals& sums, std::int64_t position) {
    plain_array<parts, unroll> part;
    for (const std::int64_t last = std::min(end, i + packs_in_part * unroll * width) - unroll * width; i <= last;
         i += unroll * width)
      (e.template evaluate<Phase>(evaluated(), {at, i + U * width, width, position + i + U * width}, rows, part[U]),
       ...);
    if constexpr (unroll == 4) {
      types::merge(reductions(), part[0], part[2]);
      types::merge(reductions(), part[1], part[3]);
    }
    if constexpr (unroll > 1) types::merge(reductions(), part[0], part[1]);
    types::collect(reductions(), sums, part[0]);
    return i;
  }
};

}  // namespace kroton::runtime::on_host
