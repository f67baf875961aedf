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
  alignas(buffer_alignment) plain_array<T, static_cast<int>(row_chunks * most_chunked_columns)> sums;
  const std::int64_t chunk = (k + row_chunks - 1) / row_chunks;
  parallel_for(row_chunks, 1, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) {
      const std::int64_t first = std::min(k, c * chunk);
      multiply_plain(m, n, std::min(k, first + chunk) - first, factor<T>{x.at(0, first), x.row, x.column},
                     factor<T>{y.at(first, 0), y.row, y.column}, product_result<T>{sums + c * m * n, n, to.alpha, T(0)},
                     1);
    }
  });
  add_chunk_sums(m * n, sums, row_chunks, to);
}

}  // namespace kroton::runtime::on_host
