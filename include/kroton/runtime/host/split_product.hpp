// This header multiplies matrices whose product has few elements, each of which is a long sum, such as the gradient of
// the kernels of a convolution. Threads divide the sums.
//
//     (25, 18432) by (18432, 8)  ->  8 chunks of 2,304 inner indices, which threads divide, and the sum of the chunks
#pragma once

#include <kroton/runtime/host/plain_product.hpp>
#include <kroton/runtime/host/vector_product.hpp>

namespace kroton::runtime::on_host {

/// Whether a product is made of chunks of its inner indices. Extents alone decide this, so that results do not depend
/// on the number of threads.
inline bool has_long_sums(std::int64_t m, std::int64_t n, std::int64_t k) {
  return m * n <= most_chunked_columns && k >= row_chunks * block_depth && m * n * k >= 2 * least_products;
}
/// Multiplies such matrices without packing x.
template <class T>
void multiply_chunks(std::int64_t m, std::int64_t n, std::int64_t k, const factor<T>& x, const factor<T>& y,
                     const product_result<T>& to, int threads) {
  sum_chunks(m * n, k, to, threads, [&](std::int64_t first, std::int64_t count, const product_result<T>& z) {
    multiply_plain(m, n, count, factor<T>{x.at(0, first), x.row, x.column}, factor<T>{y.at(first, 0), y.row, y.column},
                   z, 1);
  });
}

}  // namespace kroton::runtime::on_host
