// This header multiplies a matrix and a vector, and reads the matrix once.
//
//     (m, k) by (k, 1) -> a sum for each row;  (1, k) by (k, n) -> rows of y, scaled and added
#pragma once

#include <kroton/runtime/context/memory_block.hpp>
#include <kroton/runtime/host/accumulate.hpp>
#include <kroton/runtime/program/parallel.hpp>
#include <kroton/runtime/host/product_tile.hpp>

#include <algorithm>

namespace kroton::runtime::on_host {

/// The numbers of a matrix for which a thread is worth its start.
inline constexpr std::int64_t vector_grain = 1 << 16;

/// to[i] = alpha * sum over l of x(l, i) y[l * step] + beta * to[i], where rows of x are contiguous.
template <class T>
void combine_rows(std::int64_t n, std::int64_t k, const factor<T>& x, const T* y, std::int64_t step,
                  const product_result<T>& to) {
  using pack = simd::pack<T, simd::lanes<T>>;
  constexpr int together = 8;  // rows that are added each time the sums are loaded
  for (std::int64_t j = 0; j < n; ++j) to.z[j] = to.beta == T(0) ? T(0) : to.beta * to.z[j];
  const auto add = [&]<int Rows>(std::integral_constant<int, Rows>, std::int64_t l) {
    plain_array<T, Rows> by;
    for (int r = 0; r < Rows; ++r) by[r] = to.alpha * y[(l + r) * step];
    const T* rows = x.at(l, 0);
    std::int64_t j = 0;
    for (; j + pack::size <= n; j += pack::size) {
      pack sum = simd::load<pack>(to.z + j);
      for (int r = 0; r < Rows; ++r)
        sum = simd::fma(simd::broadcast<pack>(by[r]), simd::load<pack>(rows + r * x.row + j), sum);
      simd::store(to.z + j, sum);
    }
    for (; j < n; ++j)
      for (int r = 0; r < Rows; ++r) to.z[j] += by[r] * rows[r * x.row + j];
  };
  std::int64_t l = 0;
  for (; l + together <= k; l += together) add(std::integral_constant<int, together>(), l);
  for (; l < k; ++l) add(std::integral_constant<int, 1>(), l);
}

/// The chunks of rows that are combined by themselves, the most columns that they have, and the least rows of each.
inline constexpr std::int64_t row_chunks = 8, most_chunked_columns = 1024, least_chunk = 128;
/// Whether the sums of combine_rows are made of chunks of rows, which threads divide: there are many rows, and so few
/// columns that a part of each row is no long piece of memory. Extents alone decide this, so that results do not depend
/// on the number of threads.
inline bool has_row_chunks(std::int64_t n, std::int64_t k) {
  return n <= most_chunked_columns && k >= row_chunks * least_chunk && n * k >= 2 * vector_grain;
}
/// to[j] = beta * to[j] + the sums of `count` chunks, in their order.
template <class T>
void add_chunk_sums(std::int64_t n, const T* sums, std::int64_t count, const product_result<T>& to) {
  for (std::int64_t j = 0; j < n; ++j) {
    T sum = sums[j];
    for (std::int64_t c = 1; c < count; ++c) sum += sums[c * n + j];
    to.z[j] = to.beta == T(0) ? sum : to.beta * to.z[j] + sum;
  }
}
/// Divides the inner indices [0, k) of a product of n elements into chunks, which threads divide, and adds the sums of
/// the chunks in order. `sum(first, count, z)` writes alpha times the sums over `count` indices from `first` on to `z`.
template <class T, class Sum>
void sum_chunks(std::int64_t n, std::int64_t k, const product_result<T>& to, int threads, const Sum& sum) {
  alignas(buffer_alignment) plain_array<T, static_cast<int>(row_chunks * most_chunked_columns)> sums;
  const std::int64_t chunk = (k + row_chunks - 1) / row_chunks;
  parallel_for(row_chunks, 1, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) {
      const std::int64_t first = std::min(k, c * chunk);
      sum(first, std::min(k, first + chunk) - first, product_result<T>{sums + c * n, to.row, to.alpha, T(0)});
    }
  });
  add_chunk_sums(n, sums, row_chunks, to);
}

/// The sum over l of x(i, l) y[l] for rows i, i + 1, ... that are contiguous.
template <int Rows, class T>
void sum_rows(std::int64_t k, const factor<T>& x, std::int64_t i, const T* y, T* sums) {
  using pack = simd::pack<T, simd::lanes<T>>;
  constexpr int chains = Rows == 1 ? 4 : 1;  // sums of a row that do not wait for one another
  plain_array<plain_array<pack, chains>, Rows> every;
  for (auto& row : every)
    for (pack& one : row) one = simd::broadcast<pack>(T(0));
  const T* from = x.at(i, 0);
  std::int64_t l = 0;
  for (; l + chains * pack::size <= k; l += chains * pack::size)
    for (int c = 0; c < chains; ++c) {
      const pack right = simd::load<pack>(y + l + c * pack::size);
      for (int r = 0; r < Rows; ++r)
        every[r][c] = simd::fma(simd::load<pack>(from + r * x.row + l + c * pack::size), right, every[r][c]);
    }
  for (int r = 0; r < Rows; ++r) {
    pack total = every[r][0];
    for (int c = 1; c < chains; ++c) total = total + every[r][c];
    T sum = reduce_lanes<addition>(total);
    for (std::int64_t rest = l; rest < k; ++rest) sum += from[r * x.row + rest] * y[rest];
    sums[r] = sum;
  }
}

/// to[i] = alpha * sum over l of x(i, l) y[l * step] + beta * to[i].
template <class T>
void multiply_vector(std::int64_t m, std::int64_t k, const factor<T>& x, const T* y, std::int64_t step,
                     const product_result<T>& to, int threads) {
  const bool has_rows = x.column == 1 || k == 1;
  if (!has_rows && has_row_chunks(m, k))
    return sum_chunks(m, k, to, threads, [&](std::int64_t first, std::int64_t count, const product_result<T>& z) {
      combine_rows(m, count, factor<T>{x.at(0, first), x.column, x.row}, y + first * step, step, z);
    });
  // threads divide groups of rows and packs, so that the order in which numbers are added does not depend on them
  constexpr std::int64_t group = 64;
  const std::int64_t grain = (vector_grain / (k + 1) / group + 1) * group;
  parallel_for(m, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    if (!has_rows)
      return combine_rows(end - begin, k, factor<T>{x.at(begin, 0), x.column, x.row}, y, step,
                          {to.z + begin, 1, to.alpha, to.beta});
    constexpr std::int64_t most = 2048;  // numbers that are gathered at a time from a vector with a stride
    constexpr int together = 8;
    const std::int64_t depth = step == 1 || k < most ? k : most;
    T beta = to.beta, gathered[most];
    for (std::int64_t l = 0; l < k; l += depth) {
      const std::int64_t count = k - l < depth ? k - l : depth;
      const T* right = y + l * step;
      if (step != 1) {
        for (std::int64_t at = 0; at < count; ++at) gathered[at] = right[at * step];
        right = gathered;
      }
      const factor<T> part{x.at(0, l), x.row, 1};
      const auto write = [&](std::int64_t i, T sum) {
        to.z[i] = to.alpha * sum + (beta == T(0) ? T(0) : beta * to.z[i]);
      };
      std::int64_t i = begin;
      T sums[together];
      for (; i + together <= end; i += together) {
        sum_rows<together>(count, part, i, right, sums);
        for (int r = 0; r < together; ++r) write(i + r, sums[r]);
      }
      for (; i < end; ++i) {
        sum_rows<1>(count, part, i, right, sums);
        write(i, sums[0]);
      }
      beta = T(1);
    }
  });
}

}  // namespace kroton::runtime::on_host
