// This header multiplies matrices through a CBLAS, in programs that ask for one by KROTON_BLAS.
//
//     x (m, k) transposed in memory, y (k, n)  ->  cblas_sgemm(row major, transposed, not transposed, m, n, k, ...)
#pragma once

#if !__has_include(<cblas.h>)
#error \
    "kroton: KROTON_BLAS is defined, but there is no cblas.h; install a CBLAS (Debian, Ubuntu: libopenblas-openmp-dev), name its folder by -I, or leave KROTON_BLAS out"
#include <kroton/see_the_error_above>
#endif
#include <cblas.h>

#include <cstdint>

namespace kroton::runtime::on_host {

/// A matrix as BLAS reads it: row-major with a leading dimension, perhaps transposed.
struct matrix_layout {
  CBLAS_TRANSPOSE transposed;
  int leading;
};

constexpr matrix_layout layout_of(std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                                  std::int64_t column_stride) {
  if ((column_stride == 1 || columns == 1) && (row_stride >= columns || rows == 1))
    return {CblasNoTrans,
            static_cast<int>(rows == 1 || row_stride < columns ? (columns > 0 ? columns : 1) : row_stride)};
  return {CblasTrans, static_cast<int>(columns == 1 || column_stride < rows ? (rows > 0 ? rows : 1) : column_stride)};
}

inline void gemm(matrix_layout a, matrix_layout b, int m, int n, int k, float alpha, const float* x, const float* y,
                 float beta, float* z) {
  cblas_sgemm(CblasRowMajor, a.transposed, b.transposed, m, n, k, alpha, x, a.leading, y, b.leading, beta, z, n);
}
inline void gemm(matrix_layout a, matrix_layout b, int m, int n, int k, double alpha, const double* x, const double* y,
                 double beta, double* z) {
  cblas_dgemm(CblasRowMajor, a.transposed, b.transposed, m, n, k, alpha, x, a.leading, y, b.leading, beta, z, n);
}

/// z = alpha * op(a) x + beta * z with a matrix of `rows` x `columns` before op. A product with one row or one column
/// uses gemv, which reads the matrix once; gemm does not.
inline void gemv(matrix_layout a, int rows, int columns, float alpha, const float* matrix, const float* x, int step,
                 float beta, float* z) {
  cblas_sgemv(CblasRowMajor, a.transposed, rows, columns, alpha, matrix, a.leading, x, step, beta, z, 1);
}
inline void gemv(matrix_layout a, int rows, int columns, double alpha, const double* matrix, const double* x, int step,
                 double beta, double* z) {
  cblas_dgemv(CblasRowMajor, a.transposed, rows, columns, alpha, matrix, a.leading, x, step, beta, z, 1);
}

/// z (m) = alpha * x (m, k) y (k) + beta * z.
template <class T>
void gemv_of(std::int64_t m, std::int64_t k, T alpha, const T* x, std::int64_t row_stride, std::int64_t column_stride,
             const T* y, std::int64_t y_stride, T beta, T* z) {
  const matrix_layout a = layout_of(m, k, row_stride, column_stride);
  const bool stored = a.transposed == CblasNoTrans;
  gemv(a, static_cast<int>(stored ? m : k), static_cast<int>(stored ? k : m), alpha, x, y,
       static_cast<int>(k == 1 ? 1 : y_stride), beta, z);
}

/// z (m, n) = alpha * x (m, k) y (k, n) + beta * z; strides in elements, z contiguous. Reads z only if beta is not 0.
template <class T>
void multiply_by_blas(std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* x,
                      const std::int64_t* x_strides, const T* y, const std::int64_t* y_strides, T beta, T* z) {
  if (m == 0 || n == 0) return;
  const auto add = [&](T product, T& to) { to = alpha * product + (beta == T(0) ? T(0) : beta * to); };
  if (k == 0) {  // BLAS would not touch z
    for (std::int64_t i = 0; i < m * n; ++i) add(T(0), z[i]);
    return;
  }
  if (alpha == T(0)) {  // BLAS would not read x and y, where an element may be NaN
    constexpr std::int64_t side = 64;
    T part[side * side];
    for (std::int64_t i = 0; i < m; i += side)
      for (std::int64_t j = 0; j < n; j += side) {
        const std::int64_t rows = m - i < side ? m - i : side, columns = n - j < side ? n - j : side;
        multiply_by_blas(rows, columns, k, T(1), x + i * x_strides[0], x_strides, y + j * y_strides[1], y_strides, T(0),
                         part);
        for (std::int64_t row = 0; row < rows; ++row)
          for (std::int64_t column = 0; column < columns; ++column)
            add(part[row * columns + column], z[(i + row) * n + j + column]);
      }
    return;
  }
  if (n == 1) return gemv_of(m, k, alpha, x, x_strides[0], x_strides[1], y, y_strides[0], beta, z);
  if (m == 1) return gemv_of(n, k, alpha, y, y_strides[1], y_strides[0], x, x_strides[1], beta, z);
  gemm(layout_of(m, k, x_strides[0], x_strides[1]), layout_of(k, n, y_strides[0], y_strides[1]), static_cast<int>(m),
       static_cast<int>(n), static_cast<int>(k), alpha, x, y, beta, z);
}

}  // namespace kroton::runtime::on_host
