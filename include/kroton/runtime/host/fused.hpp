// Runs fused kernels on the host: SIMD along the innermost axis, threads over the others.
#pragma once

#include <kroton/runtime/host/evaluator.hpp>
#include <kroton/runtime/host/parallel.hpp>

namespace kroton::host {

/// Elements below which a kernel stays on one thread: starting the others costs about as much.
inline constexpr std::int64_t serial_elements = 131072;
/// Elements of a chunk of a full reduction; fixed, so that the sum does not depend on the number of threads.
inline constexpr std::int64_t reduction_chunk = 65536;

template <class Fused>
struct fused_kernel {
  using eval = evaluator<Fused>;
  using plan = typename eval::plan;
  static constexpr int width = eval::width;

  static void run(const nest& n, int threads) {
    const std::int64_t work = n.rows * n.middles * n.inner;
    if (work < serial_elements) threads = 1;
    if constexpr (plan::kind == step_kind::map) run_map(n, threads);
    else if constexpr (plan::kind == step_kind::rows) run_rows(n, threads);
    else if constexpr (plan::kind == step_kind::columns) run_columns(n, threads);
    else run_full(n, threads);
  }

 private:
  template <int Phase>
  static void sweep(eval& e, std::int64_t begin, std::int64_t end, const typename eval::row_values& rows,
                    typename eval::accumulators& sums, std::int64_t position) {
    std::int64_t i = begin;
    for (; i + width <= end; i += width) e.template evaluate<Phase, true>(i, width, rows, sums, position + i);
    if (i < end) e.template evaluate<Phase, false>(i, static_cast<int>(end - i), rows, sums, position + i);
  }

  static void run_map(const nest& n, int threads) {
    const bool split_inner = n.rows < threads;
    const std::int64_t grain = split_inner ? 1024 : 1;
    parallel_for(split_inner ? n.inner : n.rows, grain, threads, [&](std::int64_t begin, std::int64_t end) {
      eval e(n);
      typename eval::row_values rows;
      typename eval::accumulators sums;
      for (std::int64_t row = split_inner ? 0 : begin; row < (split_inner ? n.rows : end); ++row) {
        e.go_to_row(row);
        e.template evaluate_rows<0>(rows, sums);
        if constexpr (plan::when.phases > 0) sweep<0>(e, split_inner ? begin : 0, split_inner ? end : n.inner, rows, sums, 0);
      }
    });
  }

  template <int Phase>
  static void run_phases(eval& e, const nest& n, typename eval::row_values& rows, typename eval::accumulators& sums) {
    e.template evaluate_rows<Phase>(rows, sums);
    if constexpr (Phase < plan::when.phases) {
      for (std::int64_t m = 0; m < n.middles; ++m) {
        e.go_to_middle(m);
        sweep<Phase>(e, 0, n.inner, rows, sums, m * n.inner);
      }
      run_phases<Phase + 1>(e, n, rows, sums);
    }
  }
  static void run_rows(const nest& n, int threads) {
    parallel_for(n.rows, 1, threads, [&](std::int64_t begin, std::int64_t end) {
      eval e(n);
      for (std::int64_t row = begin; row < end; ++row) {
        typename eval::row_values rows;
        typename eval::accumulators sums;
        e.go_to_row(row);
        run_phases<0>(e, n, rows, sums);
      }
    });
  }

  static void run_columns(const nest& n, int threads) {
    // a thread takes blocks of columns; wide ones read memory in order, many keep all threads busy
    const std::int64_t packs = (n.inner + width - 1) / width;
    const std::int64_t block = std::clamp<std::int64_t>((packs + threads - 1) / threads, 1, column_block_packs);
    const std::int64_t blocks = (packs + block - 1) / block;
    parallel_for(n.rows * blocks, 1, threads, [&](std::int64_t begin, std::int64_t end) {
      eval e(n);
      for (std::int64_t item = begin; item < end; ++item) {
        e.go_to_row(item / blocks);
        const std::int64_t first = item % blocks * block * width;
        column_block(e, n, first, std::min(n.inner, first + block * width));
      }
    });
  }
  static constexpr std::int64_t column_block_packs = 32;
  static void column_block(eval& e, const nest& n, std::int64_t first, std::int64_t last) {
    typename eval::accumulators sums[column_block_packs];
    typename eval::row_values rows;
    e.go_to_middle(0);
    // elements see only those values of columns that are the same for all columns
    e.template evaluate_columns<0, false>(first, 0, rows, sums[0]);
    for (std::int64_t m = 0; m < n.middles; ++m) {
      e.go_to_middle(m);
      std::int64_t i = first;
      typename eval::accumulators* sum = sums;
      for (; i + width <= last; i += width) e.template evaluate<0, true>(i, width, rows, *sum++, m);
      if (i < last) e.template evaluate<0, false>(i, static_cast<int>(last - i), rows, *sum, m);
    }
    e.go_to_middle(0);
    typename eval::accumulators* sum = sums;
    for (std::int64_t i = first; i < last; i += width, ++sum) {
      const int left = static_cast<int>(std::min<std::int64_t>(width, last - i));
      if (left == width) finish_columns<true>(e, i, left, *sum);
      else finish_columns<false>(e, i, left, *sum);
    }
  }
  template <bool Whole>
  static void finish_columns(eval& e, std::int64_t i, int left, typename eval::accumulators& sums) {
    typename eval::row_values rows;
    e.template evaluate_columns<0, Whole>(i, left, rows, sums);
    e.template evaluate_columns<1, Whole>(i, left, rows, sums);
  }

  static void run_full(const nest& n, int threads) {
    // chunks of the flattened space; each keeps its own partial result, and these are merged in order
    const std::int64_t lines = n.middles, chunks_a_line = std::max<std::int64_t>(1, (n.inner + reduction_chunk - 1) / reduction_chunk);
    const std::int64_t lines_a_chunk = chunks_a_line > 1 ? 1 : std::max<std::int64_t>(1, reduction_chunk / std::max<std::int64_t>(1, n.inner));
    const std::int64_t chunks = chunks_a_line > 1 ? lines * chunks_a_line : (lines + lines_a_chunk - 1) / lines_a_chunk;
    constexpr std::int64_t batch = 64;  // partial results in flight
    typename eval::accumulators whole;
    eval master(n);
    master.go_to_row(0);
    typename eval::row_values rows;
    master.template evaluate_rows<0>(rows, whole);
    for (std::int64_t first = 0; first < chunks; first += batch) {
      typename eval::accumulators partial[batch];
      const std::int64_t count = std::min(batch, chunks - first);
      parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        eval e(n);
        e.go_to_row(0);
        for (std::int64_t c = begin; c < end; ++c) {
          const std::int64_t chunk = first + c;
          if (chunks_a_line > 1) {
            const std::int64_t m = chunk / chunks_a_line, from = chunk % chunks_a_line * reduction_chunk;
            e.go_to_middle(m);
            sweep<0>(e, from, std::min(n.inner, from + reduction_chunk), rows, partial[c], m * n.inner);
          } else {
            for (std::int64_t m = chunk * lines_a_chunk; m < std::min(lines, (chunk + 1) * lines_a_chunk); ++m) {
              e.go_to_middle(m);
              sweep<0>(e, 0, n.inner, rows, partial[c], m * n.inner);
            }
          }
        }
      });
      for (std::int64_t c = 0; c < count; ++c) merge(whole, partial[c], typename eval::sequence{});
    }
    master.go_to_row(0);
    master.template evaluate_rows<1>(rows, whole);
  }
  template <int... K>
  static void merge(typename eval::accumulators& whole, typename eval::accumulators& part, std::integer_sequence<int, K...>) {
    (merge_one(get<K>(whole), get<K>(part)), ...);
  }
  static void merge_one(nothing&, nothing&) {}
  template <class A>
  static void merge_one(A& whole, A& part) {
    whole.merge(part);
  }
};

}  // namespace kroton::host
