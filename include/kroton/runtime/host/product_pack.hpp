// This header copies parts of the factors of a product into the order in which tiles read them.
//
//     tiles of 4 rows, k = 3: a0 a1 a2, b0 b1 b2, c0 c1 c2, d0 d1 d2  ->  a0 b0 c0 d0, a1 b1 c1 d1, a2 b2 c2 d2
#pragma once

#include <kroton/runtime/host/product_tile.hpp>

#include <cstring>

namespace kroton::runtime::on_host {

/// The inner indices of a product that are summed before z is read or written: so many rows of two registers of y fit
/// into the first cache.
inline constexpr std::int64_t block_depth = 256;

/// Packs `width` columns of y, one inner index after another; the columns from `columns` on are 0.
template <class T>
void pack_columns(T* to, const factor<T>& y, std::int64_t depth, std::int64_t columns, std::int64_t width) {
  using pack = simd::pack<T, tile_lanes<T>>;
  if (y.column == 1) {
    for (std::int64_t l = 0; l < depth; ++l)
      for (std::int64_t j = 0; j < width; j += pack::size, to += pack::size) {
        const T* from = y.at(l, j);
        if (j + pack::size <= columns) simd::store(to, simd::load<pack>(from));
        else
          for (std::int64_t i = 0; i < pack::size; ++i) to[i] = j + i < columns ? from[i] : T(0);
      }
    return;
  }
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t l = 0; l < depth; ++l) to[l * width + j] = *y.at(l, j);
  for (std::int64_t j = columns; j < width; ++j)
    for (std::int64_t l = 0; l < depth; ++l) to[l * width + j] = T(0);
}

/// Packs `Rows` rows of x, one inner index after another.
template <int Rows, class T>
void pack_rows(T* to, const factor<T>& x, std::int64_t depth) {
  for (std::int64_t l = 0; l < depth; ++l, to += Rows) {
    const T* from = x.start + l * x.column;
    for (int i = 0; i < Rows; ++i) to[i] = from[i * x.row];
  }
}

}  // namespace kroton::runtime::on_host
