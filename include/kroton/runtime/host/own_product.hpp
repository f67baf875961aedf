// This header multiplies matrices without a library, and chooses the method by their extents.
//
//     (1000, 1000) by (1000, 1) -> vector_product;  (20, 20) by (20, 20) -> plain_product;  larger -> packed_product;
//     (20, 9000) by (9000, 20) -> split_product
#pragma once

#include <kroton/runtime/host/packed_product.hpp>
#include <kroton/runtime/host/split_product.hpp>

namespace kroton::runtime::on_host {

/// Whether packing the factors costs more than it saves: the product is small, or each number of a factor is used a few
/// times alone, because the other has few rows or columns.
template <class T>
bool is_plain(std::int64_t m, std::int64_t n, std::int64_t k, const factor<T>& x, const factor<T>& y) {
  constexpr std::int64_t small = 1 << 20, second_cache = 1 << 18, most_tiles = 4, most_rows = 24, most_panels = 2;
  if (k <= block_depth && m * n * k <= small) return true;
  const bool is_cached = k * n * static_cast<std::int64_t>(sizeof(T)) <= second_cache;
  if (m <= (is_cached ? most_tiles * tile_rows<T> : most_rows) && y.column == 1) return true;
  return n <= most_panels * 2 * tile_lanes<T> && (x.row == 1 || x.column == 1);
}

/// z (m, n) = alpha * x (m, k) y (k, n) + beta * z with any strides of x and y.
template <class T>
void multiply_without_library(std::int64_t m, std::int64_t n, std::int64_t k, const factor<T>& x, const factor<T>& y,
                              const product_result<T>& to, int threads) {
  if (m == 0 || n == 0) return;
  if (k == 0) return multiply_plain(m, n, k, x, y, to, 1);
  if (n == 1 && (x.column == 1 || x.row == 1)) return multiply_vector(m, k, x, y.start, y.row, to, threads);
  if (m == 1 && (y.column == 1 || y.row == 1))
    return multiply_vector(n, k, factor<T>{y.start, y.column, y.row}, x.start, x.column, to, threads);
  if (is_plain(m, n, k, x, y))
    return has_long_sums(m, n, k) ? multiply_chunks(m, n, k, x, y, to, threads)
                                  : multiply_plain(m, n, k, x, y, to, threads);
  packed_product<T>(x, y, to, threads).run(m, n, k);
}

}  // namespace kroton::runtime::on_host
