// Matrix products through CBLAS.
#pragma once

#include <kroton/graph/shape.hpp>

#include <cblas.h>

namespace kroton::host {

/// A matrix as BLAS reads it: row-major with a leading dimension, perhaps transposed.
struct matrix_layout {
  CBLAS_TRANSPOSE transposed;
  int leading;
};

constexpr matrix_layout layout_of(std::int64_t rows, std::int64_t columns, std::int64_t row_stride, std::int64_t column_stride) {
  if ((column_stride == 1 || columns == 1) && (row_stride >= columns || rows == 1))
    return {CblasNoTrans, static_cast<int>(rows == 1 || row_stride < columns ? (columns > 0 ? columns : 1) : row_stride)};
  return {CblasTrans, static_cast<int>(columns == 1 || column_stride < rows ? (rows > 0 ? rows : 1) : column_stride)};
}

inline void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const float* a, int lda, const float* b, int ldb, float* c) {
  cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1.0F, a, lda, b, ldb, 0.0F, c, n);
}
inline void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const double* a, int lda, const double* b, int ldb, double* c) {
  cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1.0, a, lda, b, ldb, 0.0, c, n);
}

/// c (m, n) = a (m, k) b (k, n); strides in elements, c contiguous.
template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, const std::int64_t* a_strides, const T* b,
              const std::int64_t* b_strides, T* c) {
  if (m == 0 || n == 0) return;
  if (k == 0) {  // BLAS would not touch c
    for (std::int64_t i = 0; i < m * n; ++i) c[i] = T(0);
    return;
  }
  const matrix_layout la = layout_of(m, k, a_strides[0], a_strides[1]), lb = layout_of(k, n, b_strides[0], b_strides[1]);
  gemm(la.transposed, lb.transposed, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), a, la.leading, b, lb.leading, c);
}

}  // namespace kroton::host
