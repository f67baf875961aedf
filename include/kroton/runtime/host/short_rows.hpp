// This header runs kernels over rows that are shorter than a few packs. The lanes of a pack are rows then, not elements
// of one row.
//
//     softmax of (1000, 10), packs of 8  ->  rows 0 to 7 side by side: 10 packs of one element of each, for each phase
#pragma once

#include <kroton/runtime/program/parallel.hpp>
#include <kroton/runtime/host/row_values.hpp>

namespace kroton::runtime::on_host {

/// An instruction of a kernel over rows for lanes that are rows: whatever it reads or writes is any distance apart.
template <class Instruction>
struct across_rows {
  using type = Instruction;
};
template <int A, class T, stride_class S, bool R>
struct across_rows<kernel::load<A, T, S, R>> {
  using type = kernel::load<A, T, stride_class::strided, R>;
};
template <int A, class T, stride_class S, bool R>
struct across_rows<kernel::index<A, T, S, R>> {
  using type = kernel::index<A, T, stride_class::strided, R>;
};
template <int A, class T, stride_class S, bool R, int O>
struct across_rows<kernel::store<A, T, S, R, O>> {
  using type = kernel::store<A, T, stride_class::strided, R, O>;
};
/// The kernel `Fused` over columns, which are the rows of `Fused`.
template <class Fused>
struct rows_as_columns;
template <step_kind Kind, class... I>
struct rows_as_columns<kernel::fused<Kind, I...>> {
  using type = kernel::fused<step_kind::over_columns, typename across_rows<I>::type...>;
};

template <class Fused>
class short_rows_kernel {
 public:
  static void run(const nest& n, int threads) {
    threads = threads_for<types>(n.rows * n.middles * n.inner, threads);
    nest_operand operands[types::accesses + 1];
    const nest t = turned(n, operands);
    elements each{static_cast<int>(n.middles * n.inner), !writes_in_place(n, types::plan::info, types::count), {}};
    find_elements(n, each);
    // a thread takes rows of the other axes, or where these are few a part of the axis that lies in lanes: whole packs,
    // and in the last part what is left
    const std::int64_t packs = (t.inner + width - 1) / width, shares = t.rows < threads ? threads : 1,
                       part = std::max<std::int64_t>(1, (packs + shares - 1) / shares) * width,
                       parts = std::max<std::int64_t>(1, (t.inner + part - 1) / part);
    parallel_for(t.rows * parts, 1, threads, [&](std::int64_t begin, std::int64_t end) {
      typename types::draws bits;
      const eval e(t, {}, bits);
      const auto each_part = [&](const auto& body) KROTON_INLINE_LAMBDA {
        std::int64_t item = begin, number = begin % parts;  // of the part in its row
        e.each_row(begin / parts, (end + parts - 1) / parts, [&](const cursor& row) KROTON_INLINE_LAMBDA {
          for (; item < end && number < parts; ++item, ++number)
            body(row, number * part, std::min(t.inner, (number + 1) * part));
          number = 0;
        });
      };
      if (t.inner >= width)
        each_part([&](const cursor& row, std::int64_t first, std::int64_t last) KROTON_INLINE_LAMBDA {
          const std::int64_t past = end_of_packs(each, first, last);
          for (std::int64_t i = first; i < past; i += width) run_pack(e, each, row, std::min(i, past - width), width);
        });
      if (end_of_packs(each, (parts - 1) * part, t.inner) < t.inner)
        each_part([&](const cursor& row, std::int64_t first, std::int64_t last) KROTON_INLINE_LAMBDA {
          const std::int64_t past = end_of_packs(each, first, last);
          if (past < last) run_pack(e, each, row, past, static_cast<int>(last - past));
        });
    });
  }

 private:
  using eval = evaluator<typename rows_as_columns<Fused>::type>;
  using row_eval = row_evaluator<typename rows_as_columns<Fused>::type>;
  using types = typename eval::types;
  using cursor = typename eval::cursor;
  using row_values = typename types::row_values;
  using totals = typename types::totals;
  static constexpr int width = types::width;
  template <int Phase>
  using loop = typename types::template loop<Phase>;

  /// The elements of a row: how far each access is from the beginning of the row.
  struct elements {
    int count;
    bool may_repeat;  // whether a row may be computed twice, because no result lies where an operand is
    std::int64_t offset[most_of_short_row][types::accesses + 1];
  };

  /// The loops over rows. The innermost is the last axis if it fills a pack, or half of one and no longer axis has rows
  /// that lie closer together; otherwise it is the longest.
  static nest turned(const nest& n, nest_operand* operands) {
    int lanes = n.outer_rank - 1;
    for (int axis = lanes; axis-- > 0;)
      if (n.outer[lanes] < width && n.outer[axis] > n.outer[lanes] &&
          (n.outer[lanes] < (width + 1) / 2 || distance(n, axis) < distance(n, lanes)))
        lanes = axis;
    nest t;
    t.parameters = n.parameters;
    t.operands = operands;
    t.inner = lanes < 0 ? 1 : n.outer[lanes];
    for (int a = 0; a < types::accesses; ++a) {
      operands[a].start = n.operands[a].start;
      operands[a].inner = lanes < 0 ? 0 : n.operands[a].outer[lanes];
    }
    for (int axis = 0; axis < n.outer_rank; ++axis) {
      if (axis == lanes) continue;
      for (int a = 0; a < types::accesses; ++a) operands[a].outer[t.outer_rank] = n.operands[a].outer[axis];
      t.rows *= t.outer[t.outer_rank++] = n.outer[axis];
    }
    return t;
  }
  /// How far neighbours along an axis are from each other: bytes, of all operands together.
  static std::int64_t distance(const nest& n, int axis) {
    std::int64_t sum = 0;
    for (int a = 0; a < types::accesses; ++a) sum += std::abs(n.operands[a].outer[axis]);
    return sum;
  }
  static void find_elements(const nest& n, elements& each) {
    for (std::int64_t m = 0; m < n.middles; ++m)
      for (std::int64_t i = 0; i < n.inner; ++i)
        for (int a = 0; a < types::accesses; ++a)
          each.offset[m * n.inner + i][a] = n.middle_offset(n.operands[a], m) + i * n.operands[a].inner;
  }
  /// Of the rows [first, last) of the axis that lies in lanes, the end of those that are computed in whole packs. The
  /// last pack may compute rows again.
  static std::int64_t end_of_packs(const elements& each, std::int64_t first, std::int64_t last) {
    return each.may_repeat && last - first >= width ? last : last - (last - first) % width;
  }
  KROTON_INLINE static void run_pack(const eval& e, const elements& each, const cursor& start, std::int64_t i,
                                     int left) {
    row_values values{};
    totals sums;
    run_phases<0>(e, each, start, i, left, values, sums);
  }
  template <int Phase>
  KROTON_INLINE static void run_phases(const eval& e, const elements& each, const cursor& start, std::int64_t i,
                                       int left, row_values& values, totals& sums) {
    row_eval::template columns<Phase>(e, start, i, left, values, sums);
    if constexpr (Phase < types::phases) {
      typename types::parts part;
      for (int m = 0; m < each.count; ++m) {
        cursor at;
        for (int a = 0; a < types::accesses; ++a) at.at[a] = nest::moved(start.at[a], each.offset[m][a]);
        e.template evaluate<Phase>(typename loop<Phase>::evaluated(), {at, i, left, m}, values, part);
      }
      types::collect(typename loop<Phase>::reductions(), sums, part);
      run_phases<Phase + 1>(e, each, start, i, left, values, sums);
    }
  }
};

}  // namespace kroton::runtime::on_host
