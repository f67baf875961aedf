// This header runs a fused kernel whose loops are known while it is compiled. There is no table of addresses and
// strides, and what remains of a call is arithmetic.
//
//     tanh(2 x + y) of 20 floats, packs of 16  ->  a whole pack, and one of which 4 lanes count; no loop, no division
#pragma once

#include <kroton/runtime/host/columns.hpp>
#include <kroton/runtime/host/repeated_rows.hpp>
#include <kroton/runtime/host/sweep.hpp>

namespace kroton::runtime::on_host {

/// A fused kernel over the loops of the bound step `Bound::value`, whose operands have no addresses yet.
template <class Fused, class Bound>
class straight_kernel {
 public:
  /// `operands`: those of the step, with addresses.
  KROTON_INLINE static void run(nest_operand* operands) {
    nest n = loops;
    n.operands = operands;
    n.parameters = Bound::value.parameters;
    if constexpr (repeated::are_there) {
      typename repeated::copies copies;
      repeated::repeat(operands, copies);
      straight_kernel<Fused, typename repeated::long_rows>::run(operands);
      if constexpr (repeated::rest > 0) {
        repeated::move_to_rest(operands);
        straight_kernel<Fused, typename repeated::last_row>::run(operands);
      }
    } else if constexpr (plan::kind == step_kind::over_columns) {
      column_kernel<Fused>::run(n, 1);
    } else {
      typename types::draws bits;
      const eval e(n, {}, bits);
      for (std::int64_t row = 0; row < loops.rows; ++row) {
        row_values values{};
        totals sums;
        run_phases<0>(e, row_of(n, row), n, values, sums);
      }
    }
  }

 private:
  static constexpr nest loops = Bound::value.loops;
  /// The lanes of packs. Smaller ones than the widest are better where a few of them are a whole line.
  static constexpr int lanes = [] {
    using widest = kernel_types<Fused>;
    constexpr int cheap = 32;  // an element of more work is computed beside as many others as possible
    int cost = 0, w = widest::width;
    for (int phase = 0; phase < widest::phases; ++phase) cost = std::max(cost, widest::cost(phase));
    while (w > 1 && loops.inner % w != 0) w /= 2;
    return w < widest::width && loops.inner / w <= (cost > cheap ? 1 : 4) ? w : most_lanes;
  }();
  using eval = evaluator<Fused, lanes>;
  using row_eval = row_evaluator<Fused, lanes>;
  using types = typename eval::types;
  using cursor = typename eval::cursor;
  using plan = typename types::plan;
  using repeated = repeated_rows<Fused, Bound>;
  using parts = typename types::parts;
  using totals = typename types::totals;
  using row_values = typename types::row_values;
  static constexpr std::int64_t whole = loops.inner / types::width * types::width;
  static constexpr int left = static_cast<int>(loops.inner - whole);
  static constexpr std::int64_t packs = loops.middles * (whole / types::width + (left > 0));
  /// A longer row runs through the sweep that other functions share.
  static constexpr bool is_short = packs <= packs_in_part;

  KROTON_INLINE static cursor row_of(const nest& n, std::int64_t row) {
    cursor c;
    for (int a = 0; a < types::accesses; ++a)
      c.at[a] = nest::moved(n.operands[a].start, loops.outer_offset(n.operands[a], row));
    return c;
  }
  KROTON_INLINE static cursor line_of(const nest& n, const cursor& row, std::int64_t m) {
    cursor c;
    for (int a = 0; a < types::accesses; ++a) c.at[a] = nest::moved(row.at[a], loops.middle_offset(n.operands[a], m));
    return c;
  }
  template <int Phase>
  KROTON_INLINE static void run_phases(const eval& e, const cursor& start, const nest& n, row_values& values,
                                       totals& sums) {
    row_eval::template rows<Phase>(e, start, values, sums);
    if constexpr (Phase < types::phases) {
      using loop = typename types::template loop<Phase>;
      parts part;
      for (std::int64_t m = 0; m < loops.middles; ++m) {
        if constexpr (is_short) run_line<Phase>(e, line_of(n, start, m), values, part, m * loops.inner);
        else sweep<Fused, Phase>::run(e, line_of(n, start, m), 0, loops.inner, values, sums, m * loops.inner);
      }
      if constexpr (is_short && loop::reduces) types::collect(typename loop::reductions(), sums, part);
      run_phases<Phase + 1>(e, start, n, values, sums);
    }
  }
  template <int Phase>
  KROTON_INLINE static void run_line(const eval& e, const cursor& at, const row_values& values, parts& part,
                                     std::int64_t position) {
    using evaluated = typename types::template loop<Phase>::evaluated;
    const auto evaluate = [&](std::int64_t i) KROTON_INLINE_LAMBDA {
      e.template evaluate<Phase>(evaluated(), {at, i, types::width, position + i}, values, part);
    };
    if constexpr (whole <= 4 * types::width)
      for_constants<static_cast<int>(whole / types::width)>([&](auto p)
                                                                KROTON_INLINE_LAMBDA { evaluate(p * types::width); });
    else
      for (std::int64_t i = 0; i < whole; i += types::width) evaluate(i);
    if constexpr (left > 0) e.template evaluate<Phase>(evaluated(), {at, whole, left, position + whole}, values, part);
  }
};

}  // namespace kroton::runtime::on_host
