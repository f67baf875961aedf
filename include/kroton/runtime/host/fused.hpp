// This header runs fused kernels on the host: SIMD along the innermost axis, threads over the others.
//
//     softmax of (4096, 1024), 2 threads  ->  each thread takes 2048 rows, and runs three phases over each of them
#pragma once

#include <kroton/runtime/host/columns.hpp>
#include <kroton/runtime/program/parallel.hpp>
#include <kroton/runtime/host/sweep.hpp>

namespace kroton::runtime::on_host {

/// Elements of a chunk of a full reduction; fixed, so that the sum does not depend on the number of threads.
inline constexpr std::int64_t reduction_chunk = 65536;
/// A map of this many elements is larger than the caches. Its result goes around the caches, because nothing of it
/// would be left there anyway, and memory need not be read before it is written. Then it prefetches one or two
/// operands, because processors do not look ahead across pages of 4 KiB by themselves. A map that writes where it has
/// just read an operand does neither.
inline constexpr std::int64_t uncached_elements = std::int64_t{1} << 23;
inline constexpr std::int64_t prefetched_bytes = 4096;

template <class Fused>
class fused_kernel {
 public:
  static constexpr int accesses = kernel_types<Fused>::accesses;

  static void run(const nest& n, int threads) {
    const std::int64_t work = n.rows * n.middles * n.inner;
    threads = threads_for<types>(work, threads);
    if constexpr (plan::kind == step_kind::map) run_map(n, threads, work >= uncached_elements);
    else if constexpr (plan::kind == step_kind::over_rows) run_rows(n, threads);
    else if constexpr (plan::kind == step_kind::over_columns) column_kernel<Fused>::run(n, threads);
    else run_full(n, threads);
  }
  /// A map over several segments, one after the other. `n`: a loop over all of them, with the operands of all;
  /// `elements`: of each segment.
  static void run_segments(const nest& n, const std::int64_t* elements, int segments, int threads) {
    constexpr std::int64_t grain = 1024;
    const cache_use caches = caches_of(n, n.inner >= uncached_elements);
    threads = threads_for<types>(n.inner, threads);
    parallel_for(n.inner, grain, threads, [&](std::int64_t begin, std::int64_t end) {
      nest segment;
      segment.parameters = n.parameters;
      std::int64_t first = 0;  // the number of elements before the segment
      for (int s = 0; s < segments && first < end; first += elements[s++]) {
        // a segment is divided at whole packs
        const auto within = [&](std::int64_t i) {
          return i - first >= elements[s] ? elements[s] : std::max<std::int64_t>(0, (i - first) / grain * grain);
        };
        segment.inner = elements[s];
        segment.operands = n.operands + s * accesses;
        if (within(begin) < within(end)) run_part(segment, caches, 0, 1, within(begin), within(end));
      }
      if (caches.streams) simd::fence();
    });
  }

 private:
  using eval = evaluator<Fused>;
  using row_eval = row_evaluator<Fused>;
  using types = typename eval::types;
  using cursor = typename eval::cursor;
  using plan = typename types::plan;
  using totals = typename types::totals;
  using row_values = typename types::row_values;

  static cache_use caches_of(const nest& n, bool is_large) {
    const bool streams = is_large && !writes_in_place(n, plan::info, plan::count);
    return {streams, streams ? prefetched_bytes : 0};
  }
  static void run_map(const nest& n, int threads, bool is_large) {
    const cache_use caches = caches_of(n, is_large);
    const bool split_inner = n.rows < threads;
    const std::int64_t grain = split_inner ? 1024 : 1;
    parallel_for(split_inner ? n.inner : n.rows, grain, threads, [&](std::int64_t begin, std::int64_t end) {
      run_part(n, caches, split_inner ? 0 : begin, split_inner ? n.rows : end, split_inner ? begin : 0,
               split_inner ? end : n.inner);
      if (caches.streams) simd::fence();
    });
  }
  /// The elements [begin, end) of each of the rows [first, past) of a map.
  static void run_part(const nest& n, const cache_use& caches, std::int64_t first, std::int64_t past,
                       std::int64_t begin, std::int64_t end) {
    typename types::draws bits;
    const eval e(n, caches, bits);
    row_values values{};
    totals none;
    e.each_row(first, past, [&](const cursor& row) KROTON_INLINE_LAMBDA {
      row_eval::template rows<0>(e, row, values, none);
      if constexpr (types::phases > 0) sweep<Fused, 0>::run(e, row, begin, end, values, none, 0);
    });
  }

  template <int Phase>
  static void run_phases(const eval& e, const cursor& start, const nest& n, row_values& values, totals& sums) {
    row_eval::template rows<Phase>(e, start, values, sums);
    if constexpr (Phase < types::phases) {
      for (std::int64_t m = 0; m < n.middles; ++m)
        sweep<Fused, Phase>::run(e, e.line(start, m), 0, n.inner, values, sums, m * n.inner);
      run_phases<Phase + 1>(e, start, n, values, sums);
    }
  }
  static void run_rows(const nest& n, int threads) {
    parallel_for(n.rows, 1, threads, [&](std::int64_t begin, std::int64_t end) {
      typename types::draws bits;
      const eval e(n, {}, bits);
      e.each_row(begin, end, [&](const cursor& row) KROTON_INLINE_LAMBDA {
        row_values values{};
        totals sums;
        run_phases<0>(e, row, n, values, sums);
      });
    });
  }

  static void run_full(const nest& n, int threads) {
    // chunks of the flattened space; each keeps its own partial result, and these are merged in order
    const std::int64_t lines = n.middles;
    const std::int64_t chunks_a_line = std::max<std::int64_t>(1, (n.inner + reduction_chunk - 1) / reduction_chunk);
    const std::int64_t lines_a_chunk =
        chunks_a_line > 1 ? 1 : std::max<std::int64_t>(1, reduction_chunk / std::max<std::int64_t>(1, n.inner));
    const std::int64_t chunks = chunks_a_line > 1 ? lines * chunks_a_line : (lines + lines_a_chunk - 1) / lines_a_chunk;
    constexpr std::int64_t batch = 64;  // partial results that exist at a time
    totals whole;
    typename types::draws own;
    const eval outside(n, {}, own);
    const cursor start = outside.row(0);
    row_values values{};
    row_eval::template rows<0>(outside, start, values, whole);
    const auto reduce = [&](const eval& e, std::int64_t chunk, totals& to) {
      if (chunks_a_line > 1) {
        const std::int64_t m = chunk / chunks_a_line, from = chunk % chunks_a_line * reduction_chunk;
        sweep<Fused, 0>::run(e, e.line(start, m), from, std::min(n.inner, from + reduction_chunk), values, to,
                             m * n.inner);
      } else {
        for (std::int64_t m = chunk * lines_a_chunk; m < std::min(lines, (chunk + 1) * lines_a_chunk); ++m)
          sweep<Fused, 0>::run(e, e.line(start, m), 0, n.inner, values, to, m * n.inner);
      }
    };
    if (chunks == 1) reduce(outside, 0, whole);
    for (std::int64_t first = 0; first < chunks && chunks > 1; first += batch) {
      totals partial[batch];
      const std::int64_t count = std::min(batch, chunks - first);
      parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        typename types::draws bits;
        const eval e(n, {}, bits);
        for (std::int64_t c = begin; c < end; ++c) reduce(e, first + c, partial[c]);
      });
      for (std::int64_t c = 0; c < count; ++c)
        types::merge(typename types::template loop<0>::reductions(), whole, partial[c]);
    }
    row_eval::template rows<1>(outside, start, values, whole);
  }
};

}  // namespace kroton::runtime::on_host
