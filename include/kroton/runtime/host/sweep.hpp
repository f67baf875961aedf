// The innermost loop of a fused kernel.
#pragma once

#include <kroton/runtime/host/row_values.hpp>

namespace kroton::on_host {

template <class Fused, int Phase>
class sweep {
 public:
  using eval = evaluator<Fused>;
  using types = typename eval::types;
  using cursor = typename eval::cursor;
  using parts = typename types::parts;
  using row_values = typename types::row_values;
  static constexpr int width = types::width;

  /// Elements [begin, end) of the innermost axis at `start`; `position` is that of element 0.
  static void run(const eval& evaluator, const cursor& start, std::int64_t begin, std::int64_t end, const row_values& values,
                  typename types::totals& sums, std::int64_t position) {
    const eval e = evaluator;  // copies that no store can change, so that they stay in registers
    const cursor at = start;
    const row_values rows = values;
    if constexpr (!types::reduces(Phase)) {
      parts none;
      std::int64_t i = begin;
      for (; i + width <= end; i += width) e.template evaluate<Phase, true>(at, i, width, rows, none, position + i);
      if (i < end) e.template evaluate<Phase, false>(at, i, static_cast<int>(end - i), rows, none, position + i);
    } else {
      std::int64_t i = begin;
      while (i + unroll * width <= end) i = block(e, at, i, end, rows, sums, position);
      if (i == end) return;
      parts rest;
      for (; i + width <= end; i += width) e.template evaluate<Phase, true>(at, i, width, rows, rest, position + i);
      if (i < end) e.template evaluate<Phase, false>(at, i, static_cast<int>(end - i), rows, rest, position + i);
      types::template collect<Phase>(sums, rest);
    }
  }

 private:
  /// Packs that are reduced side by side, so that a cheap loop need not wait for its own sum.
  static constexpr int unroll = types::cost(Phase) <= types::cheap ? 4 : 1;

  static std::int64_t block(const eval& e, const cursor& at, std::int64_t i, std::int64_t end, const row_values& rows,
                            typename types::totals& sums, std::int64_t position) {
    parts part[unroll];
    const std::int64_t last = std::min(end, i + packs_in_part * unroll * width) - unroll * width;
    for (; i <= last; i += unroll * width) {
      [&]<int... U>(std::integer_sequence<int, U...>) KROTON_INLINE_LAMBDA {
        (e.template evaluate<Phase, true>(at, i + U * width, width, rows, part[U], position + i + U * width), ...);
      }(std::make_integer_sequence<int, unroll>{});
    }
    for (int half = unroll / 2; half > 0; half /= 2)
      for (int u = 0; u < half; ++u) types::template merge<Phase>(part[u], part[u + half]);
    types::template collect<Phase>(sums, part[0]);
    return i;
  }
};

}  // namespace kroton::on_host
