// This header multiplies small matrices, and those of few rows, for which packing costs more than it saves.
//
//     (20, 20) by (20, 20)  ->  tiles that read both factors where they lie
#pragma once

#include <kroton/runtime/program/parallel.hpp>
#include <kroton/runtime/host/product_pack.hpp>

#include <algorithm>

namespace kroton::runtime::on_host {

/// The most multiplications of a small product.
inline constexpr std::int64_t small_products = 1 << 18;

template <class T, int Packs>
void multiply_small_columns(std::int64_t m, std::int64_t depth, const factor<T>& x, const T* y, std::int64_t y_row,
                            const product_result<T>& to, std::int64_t columns) {
  std::int64_t i = 0;
  const auto part = [&] { return product_result<T>{to.z + i * to.row, to.row, to.alpha, to.beta}; };
  const auto rows = [&] { return factor<T>{x.at(i, 0), x.row, x.column}; };
  constexpr int high = tile_rows<T>, low = high / 3;
  for (; i + high <= m; i += high) multiply_plain_tile<T, high, Packs>(depth, rows(), y, y_row, part(), columns);
  if (i + 2 * low <= m) {
    multiply_plain_tile<T, 2 * low, Packs>(depth, rows(), y, y_row, part(), columns);
    i += 2 * low;
  }
  for (; i + low <= m; i += low) multiply_plain_tile<T, low, Packs>(depth, rows(), y, y_row, part(), columns);
  for (; i < m; ++i) multiply_plain_tile<T, 1, Packs>(depth, rows(), y, y_row, part(), columns);
}

/// Multiplies the columns [j, n).
template <class T>
void multiply_small_part(std::int64_t m, std::int64_t j, std::int64_t n, std::int64_t k, const factor<T>& x,
                         const factor<T>& y, const product_result<T>& to) {
  constexpr std::int64_t narrow = tile_lanes<T>, wide = 2 * narrow;
  while (j < n) {
    const std::int64_t width = n - j >= wide ? wide : narrow, columns = n - j < width ? n - j : width;
    const product_result<T> part{to.z + j, to.row, to.alpha, to.beta};
    plain_array<T, static_cast<int>(block_depth * wide)> packed;
    const T* from = y.at(0, j);
    std::int64_t row = y.row;
    if (y.column != 1 || (!loads_parts && columns < width)) {
      pack_columns(packed, {from, y.row, y.column}, k, columns, width);
      from = packed;
      row = width;
    }
    if (width == wide) multiply_small_columns<T, 2>(m, k, x, from, row, part, columns);
    else multiply_small_columns<T, 1>(m, k, x, from, row, part, columns);
    j += columns;
  }
}
/// Multiplies matrices with an inner extent of up to `block_depth`. Columns of y that are not contiguous are packed.
/// Threads divide the columns.
template <class T>
void multiply_small(std::int64_t m, std::int64_t n, std::int64_t k, const factor<T>& x, const factor<T>& y,
                    const product_result<T>& to, int threads = 1) {
  constexpr std::int64_t wide = 2 * tile_lanes<T>, least = small_products / 2;  // for which a thread is worth its start
  const std::int64_t panels = (n + wide - 1) / wide, work = m * k * wide + 1;
  parallel_for(panels, (least + work - 1) / work, threads, [&](std::int64_t begin, std::int64_t end) {
    multiply_small_part(m, begin * wide, std::min(end * wide, n), k, x, y, to);
  });
}

}  // namespace kroton::runtime::on_host
