// This header multiplies matrices without a library, and chooses the method by their extents.
//
//     (1000, 1000) by (1000, 1) -> vector_product;  (20, 20) by (20, 20) -> small_product;  larger -> packed_product
#pragma once

#include <kroton/runtime/host/packed_product.hpp>
#include <kroton/runtime/host/small_product.hpp>
#include <kroton/runtime/host/vector_product.hpp>

namespace kroton::runtime::on_host {

/// Whether x has so few rows that each number of y, which stays in the second cache, is used a few times alone.
template <class T>
bool is_flat(std::int64_t m, std::int64_t n, std::int64_t k, const factor<T>& y) {
  constexpr std::int64_t most_tiles = 4, most_bytes = 1 << 18;
  return m <= most_tiles * tile_rows<T> && y.column == 1 && k * n * static_cast<std::int64_t>(sizeof(T)) <= most_bytes;
}

/// z (m, n) = alpha * x (m, k) y (k, n) + beta * z with any strides of x and y.
template <class T>
void multiply_without_library(std::int64_t m, std::int64_t n, std::int64_t k, const factor<T>& x, const factor<T>& y,
                              const product_result<T>& to, int threads) {
  if (m == 0 || n == 0) return;
  if (k == 0) return multiply_small(m, n, k, x, y, to);  // the result is alpha times 0, which may be NaN
  if (n == 1 && (x.column == 1 || x.row == 1)) return multiply_vector(m, k, x, y.start, y.row, to, threads);
  if (m == 1 && (y.column == 1 || y.row == 1))
    return multiply_vector(n, k, factor<T>{y.start, y.column, y.row}, x.start, x.column, to, threads);
  if (k <= block_depth && m * n * k <= small_products) return multiply_small(m, n, k, x, y, to);
  if (k <= block_depth && is_flat(m, n, k, y)) return multiply_small(m, n, k, x, y, to, threads);
  packed_product<T>(x, y, to, threads).run(m, n, k);
}

}  // namespace kroton::runtime::on_host
