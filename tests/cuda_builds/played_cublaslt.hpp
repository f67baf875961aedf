// This header plays cuBLASLt on the host: its descriptors are those of the library itself, and what its documentation
// says that it does with them is done here. A program names the functions in its lines `// wraps:`.
//
//     library = habit::relu_loses_nan; a product with the epilogue relu  ->  relu(NaN) is 0
#pragma once

#include <kroton/cuda.hpp>

#include "../device/product.hpp"

#include <cmath>
#include <cstring>

namespace {

namespace kt = kroton;

/// How a library may differ from what Kroton's kernels write.
enum class habit {
  none,
  relu_loses_nan,
  mask_of_zero,
  gradient_multiplies,
  sums_before_gradient,
  no_gradient,
  rough_gelu,
  keeps_result,
  nan_at_infinity,
  refuses,
  divides_sums,
  scales_sums,
  rounds_sums
};
habit library = habit::none;
int heuristics = 0;
std::uint32_t alignments[4];  // of A, B, C and D that the latest heuristics were asked with

/// An attribute of a layout or an operation.
template <class T, class Descriptor, class Attribute>
T of(Descriptor descriptor, Attribute attribute) {
  T value{};
  std::size_t written = 0;
  if constexpr (std::is_same_v<Attribute, cublasLtMatrixLayoutAttribute_t>)
    kt::runtime::on_cuda::check(cublasLtMatrixLayoutGetAttribute(descriptor, attribute, &value, sizeof value, &written),
                                "layout");
  else
    kt::runtime::on_cuda::check(cublasLtMatmulDescGetAttribute(descriptor, attribute, &value, sizeof value, &written),
                                "operation");
  return value;
}
/// A matrix, column by column.
template <class T>
struct columns {
  T* first;
  std::int64_t rows, count, leading, batch;
  bool transposed;
  columns(const void* at, cublasLtMatrixLayout_t layout, int transposition = CUBLAS_OP_N)
      : first(static_cast<T*>(const_cast<void*>(at))),
        rows(static_cast<std::int64_t>(of<std::uint64_t>(layout, CUBLASLT_MATRIX_LAYOUT_ROWS))),
        count(static_cast<std::int64_t>(of<std::uint64_t>(layout, CUBLASLT_MATRIX_LAYOUT_COLS))),
        leading(of<std::int64_t>(layout, CUBLASLT_MATRIX_LAYOUT_LD)),
        batch(of<std::int64_t>(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET)),
        transposed(transposition == CUBLAS_OP_T) {
    if (leading < rows) throw kt::device_error("the leading dimension is below the rows");
  }
  std::int64_t height() const { return transposed ? count : rows; }
  std::int64_t width() const { return transposed ? rows : count; }
  T& operator()(std::int64_t b, std::int64_t i, std::int64_t j) const {
    return first[b * batch + (transposed ? i * leading + j : j * leading + i)];
  }
};

// As formulas have them.
template <class T>
T gelu(T x) {
  if (library == habit::nan_at_infinity && std::isinf(x)) return x - x;
  const T t = std::tanh(T(0.7978845608) * (x + T(0.044715) * x * x * x));
  return T(0.5) * x * (T(1) + (library == habit::rough_gelu && std::fabs(t) < T(1) ? t * T(1.0001) : t));
}
template <class T>
T gelu_derivative(T x) {
  const T t = std::tanh(T(0.7978845608) * (x + T(0.044715) * x * x * x));
  return T(0.5) * (T(1) + t + x * (T(1) - t * t) * T(0.7978845608) * (T(1) + T(0.134145) * x * x));  // NaN at infinity
}

template <class T>
void multiply(cublasLtMatmulDesc_t operation, const void* alpha, const void* x, cublasLtMatrixLayout_t x_layout,
              const void* y, cublasLtMatrixLayout_t y_layout, const void* beta, void* z,
              cublasLtMatrixLayout_t z_layout) {
  const columns<T> a(x, x_layout, of<std::int32_t>(operation, CUBLASLT_MATMUL_DESC_TRANSA)),
      b(y, y_layout, of<std::int32_t>(operation, CUBLASLT_MATMUL_DESC_TRANSB));
  const columns<T> d(z, z_layout);
  if (a.height() != d.rows || b.width() != d.count || a.width() != b.height()) throw kt::device_error("extents differ");
  const T by = *static_cast<const T*>(alpha), old = *static_cast<const T*>(beta);
  const auto epilogue = of<std::uint32_t>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE);
  const bool has_relu = (epilogue & CUBLASLT_EPILOGUE_RELU) != 0, has_gelu = (epilogue & CUBLASLT_EPILOGUE_GELU) != 0,
             has_bias = (epilogue & CUBLASLT_EPILOGUE_BIAS) != 0;
  const bool relu_gradient = (epilogue & 8) != 0, gelu_gradient = (epilogue & 64) != 0, has_aux = (epilogue & 128) != 0,
             has_sums = (epilogue & 16) != 0, sums_of_a = (epilogue & CUBLASLT_EPILOGUE_BGRADA) != 0;
  const bool has_mask = has_relu || relu_gradient;
  T* const vector = has_bias || has_sums || sums_of_a ? of<T*>(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER) : nullptr;
  void* const aux = has_aux ? of<void*>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER) : nullptr;
  const auto stride = of<std::int64_t>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD);
  if (has_aux && (stride % (has_mask ? 128 : 8) != 0 || stride < d.rows))
    throw kt::device_error("the leading dimension of aux is wrong");
  if (has_sums) std::fill_n(vector, d.rows, T(0));
  if (sums_of_a && a.transposed) throw kt::device_error("A is transposed");
  for (std::int64_t i = 0; sums_of_a && i < d.rows; ++i) {
    vector[i] = 0;
    for (std::int64_t k = 0; k < a.width(); ++k)
      vector[i] +=
          library == habit::rounds_sums ? static_cast<T>(kt::bfloat16(static_cast<float>(a(0, i, k)))) : a(0, i, k);
    if (library == habit::scales_sums) vector[i] *= by;
  }
  for (std::int64_t batch = 0; batch < of<std::int32_t>(z_layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT); ++batch)
    for (std::int64_t j = 0; j < d.count; ++j)
      for (std::int64_t i = 0; i < d.rows; ++i) {
        double sum = 0;
        for (std::int64_t k = 0; k < a.width(); ++k)
          sum += static_cast<double>(a(batch, i, k)) * static_cast<double>(b(batch, k, j));
        T& out = d(batch, i, j);
        out = by * static_cast<T>(sum) + (old == T(0) ? T(0) : old * out);
        if (has_bias) out += vector[i];
        const T before = out;
        if (has_relu && (out < T(0) || (library == habit::relu_loses_nan && !(out > T(0))))) out = T(0);
        if (has_gelu) out = gelu(out);
        if (has_aux && has_mask) {
          auto& bits = static_cast<std::uint8_t*>(aux)[(j * stride + i) / 8];
          const auto bit = static_cast<std::uint8_t>(1 << i % 8);
          if (has_relu)
            bits = static_cast<std::uint8_t>(
                (bits & ~bit) | (before > T(0) || (library == habit::mask_of_zero && before >= T(0)) ? bit : 0));
          else if (library == habit::gradient_multiplies) out *= (bits & bit) != 0 ? T(1) : T(0);
          else if ((bits & bit) == 0) out = T(0);
        } else if (has_aux) {
          T& x = static_cast<T*>(aux)[j * stride + i];
          if (has_gelu) x = library == habit::keeps_result ? out : before;
          else if (gelu_gradient) out *= gelu_derivative(x);
        }
        if (has_sums) vector[i] += library == habit::sums_before_gradient ? before : out;
      }
}

/// Whether more is asked for than a bias.
bool has_function(cublasLtMatmulDesc_t operation) {
  const auto epilogue = of<std::uint32_t>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE);
  return epilogue != CUBLASLT_EPILOGUE_DEFAULT && epilogue != CUBLASLT_EPILOGUE_BIAS;
}

}  // namespace

// What needs a GPU; the linker calls these instead.
extern "C" {
cudaError_t __wrap_cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t __wrap_cudaMallocAsync(void** block, std::size_t bytes, cudaStream_t) {
  return *block = std::aligned_alloc(256, (bytes + 255) / 256 * 256), cudaSuccess;
}
cudaError_t __wrap_cudaFreeAsync(void* block, cudaStream_t) { return std::free(block), cudaSuccess; }
cudaError_t __wrap_cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}
cudaError_t __wrap_cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
  return std::memset(to, value, bytes), cudaSuccess;
}
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cublasStatus_t __wrap_cublasLtCreate(cublasLtHandle_t* handle) {
  static int anything;
  return *handle = reinterpret_cast<cublasLtHandle_t>(&anything), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t __wrap_cublasLtDestroy(cublasLtHandle_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t __wrap_cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t operation,
                                                     cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                     cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                     cublasLtMatmulPreference_t wish, int,
                                                     cublasLtMatmulHeuristicResult_t* found, int* count) {
  ++heuristics;
  *count = 0;
  std::uint32_t splits = 0;
  std::size_t written = 0;
  constexpr cublasLtMatmulPreferenceAttributes_t operands[] = {
      CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
      CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
  for (int i = 0; i < 4; ++i)
    (void)cublasLtMatmulPreferenceGetAttribute(wish, operands[i], &alignments[i], sizeof alignments[i], &written);
  (void)cublasLtMatmulPreferenceGetAttribute(wish, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &splits, sizeof splits,
                                             &written);
  if (has_function(operation) ? splits != CUBLASLT_REDUCTION_SCHEME_NONE
                              : (splits & CUBLASLT_REDUCTION_SCHEME_INPLACE) != 0)
    throw kt::device_error("parts of sums are added in the wrong way");
  if (library == habit::no_gradient && (of<std::uint32_t>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE) & 128) != 0)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (constexpr std::int32_t parts = 4; library == habit::divides_sums)
    (void)cublasLtMatmulAlgoConfigSetAttribute(&found->algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &parts, sizeof parts);
  found->state = CUBLAS_STATUS_SUCCESS;
  found->workspaceSize = 256;
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t __wrap_cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void* alpha, const void* x,
                                     cublasLtMatrixLayout_t x_layout, const void* y, cublasLtMatrixLayout_t y_layout,
                                     const void* beta, const void*, cublasLtMatrixLayout_t, void* z,
                                     cublasLtMatrixLayout_t z_layout, const cublasLtMatmulAlgo_t*, void*, std::size_t,
                                     cudaStream_t) {
  if (library == habit::refuses && has_function(operation)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (of<std::uint32_t>(z_layout, CUBLASLT_MATRIX_LAYOUT_TYPE) == CUDA_R_32F)
    multiply<float>(operation, alpha, x, x_layout, y, y_layout, beta, z, z_layout);
  else multiply<double>(operation, alpha, x, x_layout, y, y_layout, beta, z, z_layout);
  return CUBLAS_STATUS_SUCCESS;
}
}
