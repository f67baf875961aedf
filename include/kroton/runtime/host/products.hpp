// This header runs the matrix products of the host, by Kroton's own loops, or through the CBLAS that KROTON_BLAS asks
// for.
//
//     multiply<float>(m, n, k, ...)  ->  multiply_without_library, or cblas_sgemm where KROTON_BLAS is defined
#pragma once

#include <kroton/graph/ops/gemm.hpp>
#include <kroton/runtime/host/own_product.hpp>
#ifdef KROTON_BLAS
#include <kroton/runtime/host/blas.hpp>
#endif

#include <cstring>

namespace kroton::runtime::on_host {

/// Writes the scaled addend c to z, whose memory may be that of c; see gemm_form::scaled_addend.
template <class T>
void keep(const gemm_form& form, T alpha, T beta, const T* c, T* z, std::int64_t count) {
  if (!form.decays && beta == T(1)) {
    std::memcpy(z, c, static_cast<std::size_t>(count) * sizeof(T));
    return;
  }
  using pack = simd::pack<T, simd::lanes<T>>;
  const pack alphas = simd::broadcast<pack>(alpha), betas = simd::broadcast<pack>(beta);
  std::int64_t i = 0;
  for (; i + pack::size <= count; i += pack::size)
    simd::store(z + i, form.scaled_addend(alphas, betas, simd::load<pack>(c + i)));
  for (; i < count; ++i) z[i] = form.scaled_addend(alpha, beta, c[i]);
}

/// z (m, n) = alpha * x (m, k) y (k, n) + beta * z; strides in elements, z contiguous. Reads z only if beta is not 0.
/// CBLAS uses as many threads as OpenMP has, see thread_limit.
template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* x, const std::int64_t* x_strides,
              const T* y, const std::int64_t* y_strides, T beta, T* z, [[maybe_unused]] int threads) {
#ifdef KROTON_BLAS
  multiply_by_blas(m, n, k, alpha, x, x_strides, y, y_strides, beta, z);
#else
  multiply_without_library(m, n, k, factor<T>{x, x_strides[0], x_strides[1]}, factor<T>{y, y_strides[0], y_strides[1]},
                           product_result<T>{z, n, alpha, beta}, threads);
#endif
}

}  // namespace kroton::runtime::on_host
