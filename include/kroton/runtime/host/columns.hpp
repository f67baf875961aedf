// This header runs column kernels on the host. They reduce the first axes, and read memory in its order.
//
//     sum(x, axis<0>) of (1000, 64)  ->  64 sums side by side in packs, row after row
#pragma once

#include <kroton/runtime/program/parallel.hpp>
#include <kroton/runtime/host/row_values.hpp>

namespace kroton::runtime::on_host {

template <class Fused>
class column_kernel {
 public:
  static void run(const nest& n, int threads) {
    const std::int64_t packs = (n.inner + width - 1) / width;
    // Many rows and not too many columns are divided into chunks of rows. Extents alone decide this, so that results do
    // not depend on the number of threads.
    if (packs <= chunked_packs && n.middles >= chunks * least_chunk) return run_chunks(n, threads, packs);
    // a thread takes blocks of columns: wide blocks read memory in order, and many blocks keep all threads busy
    const std::int64_t block = std::clamp<std::int64_t>((packs + threads - 1) / threads, 1, block_packs);
    const std::int64_t blocks = (packs + block - 1) / block;
    parallel_for(n.rows * blocks, 1, threads, [&](std::int64_t begin, std::int64_t end) {
      typename types::draws bits;
      const eval e(n, {}, bits);
      for (std::int64_t item = begin; item < end; ++item) {
        const cursor start = e.row(item / blocks);
        const std::int64_t first = item % blocks * block * width, last = std::min(n.inner, first + block * width);
        totals sums[block_packs];
        reduce(e, start, first, last, 0, n.middles, sums);
        finish(e, start, first, last, sums);
      }
    });
  }

 private:
  using eval = evaluator<Fused>;
  using row_eval = row_evaluator<Fused>;
  using types = typename eval::types;
  using cursor = typename eval::cursor;
  using parts = typename types::parts;
  using totals = typename types::totals;
  using row_values = typename types::row_values;
  using evaluated = typename types::template loop<0>::evaluated;
  using reductions = typename types::template loop<0>::reductions;
  static constexpr int width = types::width;
  /// The packs of a block of columns, whose sums stay in the first cache. Long pieces of rows are what processors fetch
  /// ahead.
  static constexpr std::int64_t block_packs =
      std::clamp<std::int64_t>(4096 / static_cast<std::int64_t>(sizeof(parts)), 32, 128);
  /// Rows that are added together where an element costs little, so that enough reads are under way to keep memory
  /// busy.
  static constexpr int side_by_side = types::cost(0) > types::cheap ? 1
                                      : types::loads(0) <= 1        ? 8
                                      : types::loads(0) <= 3        ? 4
                                                                    : 1;
  static constexpr std::int64_t chunks = 8, least_chunk = 256,
                                chunked_packs =
                                    std::max<std::int64_t>(1, 16384 / static_cast<std::int64_t>(sizeof(parts)));

  /// Reduces the columns [first, last) over the rows [from, to).
  static void reduce(const eval& e, const cursor& start, std::int64_t first, std::int64_t last, std::int64_t from,
                     std::int64_t to, totals* sums) {
    parts part[block_packs];
    row_values values{};
    // elements use only values that are the same for all columns
    row_eval::template columns<0>(e, start, first, 0, values, sums[0]);
    for (std::int64_t m = from; m < to;) {
      const std::int64_t end = std::min(to, m + packs_in_part);
      if constexpr (side_by_side > 1)
        for (; m + side_by_side <= end; m += side_by_side)
          add_rows(std::make_integer_sequence<int, side_by_side>(), e, start, first, last, values, part, m);
      for (; m < end; ++m) add_row(e, start, first, last, values, part, m);
      for (std::int64_t k = 0; k * width < last - first; ++k) {
        types::collect(reductions(), sums[k], part[k]);
        part[k] = {};
      }
    }
  }
  /// Adds several rows from row `m` on, so that sums are loaded and stored once for all of them.
  template <int... R>
  static void add_rows(std::integer_sequence<int, R...>, const eval& evaluator, const cursor& start, std::int64_t first,
                       std::int64_t last, const row_values& values, parts* part, std::int64_t m) {
    const eval e = evaluator;
    const cursor at[] = {e.line(start, m + R)...};
    const row_values local = values;
    std::int64_t i = first;
    for (; i + width <= last; i += width, ++part) {
      parts sum = *part;
      (e.template evaluate<0>(evaluated(), {at[R], i, width, m + R}, local, sum), ...);
      *part = sum;
    }
    if (i < last)
      for (int r = 0; r < static_cast<int>(sizeof...(R)); ++r)
        e.template evaluate<0>(evaluated(), {at[r], i, static_cast<int>(last - i), m + r}, local, *part);
  }
  /// Adds row `m`.
  [[gnu::noinline]] static void add_row(const eval& evaluator, const cursor& start, std::int64_t first,
                                        std::int64_t last, const row_values& values, parts* part, std::int64_t m) {
    const eval e = evaluator;
    const cursor at = e.line(start, m);
    const row_values local = values;
    for (std::int64_t i = first; i < last; i += width, ++part)
      e.template evaluate<0>(evaluated(), {at, i, static_cast<int>(std::min<std::int64_t>(width, last - i)), m}, local,
                             *part);
  }
  static void finish(const eval& e, const cursor& start, std::int64_t first, std::int64_t last, const totals* sums) {
    for (std::int64_t i = first; i < last; i += width, ++sums) {
      const int left = static_cast<int>(std::min<std::int64_t>(width, last - i));
      row_values values{};
      row_eval::template columns<0>(e, start, i, left, values, *sums);
      row_eval::template columns<1>(e, start, i, left, values, *sums);
    }
  }

  /// Reduces each chunk of rows by itself, block by block, and then combines the chunks in order.
  static void run_chunks(const nest& n, int threads, std::int64_t packs) {
    const std::int64_t chunk = (n.middles + chunks - 1) / chunks, blocks = (packs + block_packs - 1) / block_packs;
    typename types::draws own;
    const eval outside(n, {}, own);
    for (std::int64_t row = 0; row < n.rows; ++row) {
      const cursor start = outside.row(row);
      plain_array<plain_array<parts, chunked_packs>, chunks> reduced;
      parallel_for(chunks * blocks, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        typename types::draws bits;
        const eval e(n, {}, bits);
        for (std::int64_t item = begin; item < end; ++item) {
          const std::int64_t c = item / blocks, first_pack = item % blocks * block_packs, first = first_pack * width;
          const std::int64_t last = std::min(n.inner, first + block_packs * width);
          totals sums[block_packs];
          reduce(e, start, first, last, std::min(n.middles, c * chunk), std::min(n.middles, (c + 1) * chunk), sums);
          for (std::int64_t k = 0; k * width < last - first; ++k)
            reduced[c][first_pack + k] = types::part_of(reductions(), sums[k]);
        }
      });
      for (std::int64_t k = 0; k < packs; ++k) {
        totals whole;
        for (std::int64_t c = 0; c < chunks; ++c) types::collect(reductions(), whole, reduced[c][k]);
        finish(outside, start, k * width, std::min(n.inner, (k + 1) * width), &whole);
      }
    }
  }
};

}  // namespace kroton::runtime::on_host
