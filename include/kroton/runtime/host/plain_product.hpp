// This header multiplies matrices that are small, or of few rows or few columns, for which packing costs more than it
// saves.
//
//     (20, 20) by (20, 20)  ->  tiles that read both factors where they lie
#pragma once

#include <kroton/runtime/program/parallel.hpp>
#include <kroton/runtime/host/product_pack.hpp>

#include <algorithm>

namespace kroton::runtime::on_host {

/// The multiplications for which a thread is worth its start.
inline constexpr std::int64_t least_products = 1 << 17;

/// Multiplies one panel: at most `Packs` packs of columns of y.
template <class T, int Packs, int Lanes = tile_lanes<T>>
void multiply_plain_panel(std::int64_t m, std::int64_t depth, const factor<T>& x, const T* y, std::int64_t y_row,
                          const product_result<T>& to, std::int64_t columns, prefetched ahead) {
  std::int64_t i = 0;
  const auto multiply_rows = [&]<int Rows>(std::integral_constant<int, Rows>) {
    multiply_plain_tile<T, Rows, Packs, Lanes>(depth, {x.at(i, 0), x.row, x.column}, y, y_row,
                                               {to.z + i * to.row, to.row, to.alpha, to.beta}, columns, ahead);
    i += Rows;
    ahead.y = false;
  };
  // A product and sum takes four cycles and two begin in each, so eight sums keep a core busy. A panel of one register
  // has one sum for each row of a tile, and a panel of two registers has two. A panel of half a register has tiles of
  // eight rows, as many as the first cache holds of rows of x that lie a power of two apart.
  constexpr bool is_half = Lanes < tile_lanes<T>;
  constexpr int tall = Packs == 1 ? 8 : 1, high = is_half ? tall : tile_rows<T>, low = is_half ? 4 : high / 3;
  if constexpr (tall > high)
    while (i + tall <= m) multiply_rows(std::integral_constant<int, tall>());
  while (i + high <= m) multiply_rows(std::integral_constant<int, high>());
  if constexpr (2 * low < high)
    if (i + 2 * low <= m) multiply_rows(std::integral_constant<int, 2 * low>());
  while (i + low <= m) multiply_rows(std::integral_constant<int, low>());
  while (i < m) multiply_rows(std::integral_constant<int, 1>());
}

/// Multiplies the columns [j, n), with an inner extent of up to `block_depth`. Columns of y that are not contiguous are
/// packed.
template <class T>
void multiply_plain_block(std::int64_t m, std::int64_t j, std::int64_t n, std::int64_t k, const factor<T>& x,
                          const factor<T>& y, const product_result<T>& to, prefetched ahead) {
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
    if constexpr (simd::native_bytes == 64)  // two products of 32 bytes begin in a cycle, and one of 64
      if (columns <= narrow / 2 && x.row != 1)
        return multiply_plain_panel<T, 1, narrow / 2>(m, k, x, from, row, part, columns, ahead);
    if (width == wide) multiply_plain_panel<T, 2>(m, k, x, from, row, part, columns, ahead);
    else multiply_plain_panel<T, 1>(m, k, x, from, row, part, columns, ahead);
    j += columns;
  }
}

/// Multiplies matrices without packing x. Threads divide the columns, or the rows if there are few columns.
template <class T>
void multiply_plain(std::int64_t m, std::int64_t n, std::int64_t k, const factor<T>& x, const factor<T>& y,
                    const product_result<T>& to, int threads) {
  constexpr std::int64_t wide = 2 * tile_lanes<T>, tile = 24;
  const auto multiply = [&](std::int64_t i, std::int64_t rows, std::int64_t j, std::int64_t end, prefetched ahead) {
    product_result<T> part{to.z + i * to.row, to.row, to.alpha, to.beta};
    std::int64_t l = 0;
    do {  // where k is 0, the result is alpha times 0, which may be NaN
      multiply_plain_block(rows, j, end, std::min(block_depth, k - l), {x.at(i, l), x.row, x.column},
                           {y.at(l, 0), y.row, y.column}, part, ahead);
      part.beta = T(1);
    } while ((l += block_depth) < k);
  };
  constexpr std::int64_t cached = 1 << 15;  // a factor of more elements is prefetched
  const auto grain = [&](std::int64_t work) { return (least_products + work - 1) / std::max<std::int64_t>(work, 1); };
  if (n <= 2 * wide && m > n)
    parallel_for((m + tile - 1) / tile, grain(tile * n * k), threads, [&](std::int64_t begin, std::int64_t end) {
      multiply(begin * tile, std::min(end * tile, m) - begin * tile, 0, n, {.x = m * k > cached});
    });
  else
    parallel_for((n + wide - 1) / wide, grain(m * k * wide), threads, [&](std::int64_t begin, std::int64_t end) {
      multiply(0, m, begin * wide, std::min(end * wide, n), {.y = y.column == 1 && k * n > cached});
    });
}

}  // namespace kroton::runtime::on_host
