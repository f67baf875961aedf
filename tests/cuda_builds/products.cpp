// What cuBLASLt is asked for, without a GPU: its descriptors are those of the library itself, and what it says it does
// with them is done here.
// wraps: cudaGetDevice cudaMallocAsync cudaFreeAsync cudaMemcpyAsync cudaMemsetAsync cudaStreamSynchronize cublasLtCreate cublasLtDestroy cublasLtMatmulAlgoGetHeuristic cublasLtMatmul
#include <kroton/cuda.hpp>

#include "../device/product.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

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
  refuses
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
             has_sums = (epilogue & 16) != 0;
  const bool has_mask = has_relu || relu_gradient;
  T* const vector = has_bias || has_sums ? of<T*>(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER) : nullptr;
  void* const aux = has_aux ? of<void*>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER) : nullptr;
  const auto stride = of<std::int64_t>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD);
  if (has_aux && (stride % (has_mask ? 128 : 8) != 0 || stride < d.rows))
    throw kt::device_error("the leading dimension of aux is wrong");
  if (has_sums) std::fill_n(vector, d.rows, T(0));
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

namespace {

int failures = 0;
void check(bool is_right, const char* what) {
  if (is_right) return;
  ++failures;
  std::printf("FAILED: %s\n", what);
}

std::mt19937 bits(1);
/// Aligned as memory of a device is.
template <class T>
struct device_allocator {
  using value_type = T;
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(kt::device_alignment)));
  }
  void deallocate(T* block, std::size_t) { ::operator delete(block, std::align_val_t(kt::device_alignment)); }
  bool operator==(const device_allocator&) const = default;
};
template <class T>
using numbers = std::vector<T, device_allocator<T>>;
template <class T>
numbers<T> random(std::int64_t count) {
  numbers<T> all(static_cast<std::size_t>(count));
  for (T& x : all) x = static_cast<T>(static_cast<int>(bits() % 9)) - T(4);  // sums of these are exact
  return all;
}
std::byte* start(auto& all) { return reinterpret_cast<std::byte*>(all.data()); }

/// What is asked for beside z = alpha * x y + beta * z.
struct extras {
  bool bias = false;
  kt::product_function function = kt::product_function::none;
  bool is_gradient = false, aux = false, sums = false;
};
/// One formula for the derivative cancels where the other does not.
template <class T>
bool near(const numbers<T>& found, const numbers<T>& expected) {
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!(std::fabs(found[i] - expected[i]) <= T(1e-4) * std::max(T(1), std::fabs(expected[i])))) return false;
  return found.size() == expected.size();
}
/// Strides of a matrix (rows, columns) that is there as it is, transposed, or as a part of a wider one.
enum class form { plain, transposed, part };
void set_strides(std::int64_t (&strides)[2], std::int64_t rows, std::int64_t columns, form how) {
  strides[0] = how == form::transposed ? 1 : how == form::part ? columns + 3 : columns;
  strides[1] = how == form::transposed ? rows : 1;
}

/// Compares what `products` has cuBLASLt do with what a product is.
template <class T>
void compare(kt::runtime::on_cuda::products& on, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batches,
             form of_x, form of_y, double beta, const extras& with) {
  auto x = random<T>(batches * (m + 3) * (k + 3)), y = random<T>(batches * (k + 3) * (n + 3)),
       z = random<T>(batches * m * n), bias = random<T>(n), sums = random<T>(n);
  auto aux = random<T>(m * n + kt::mask_bytes(m, n));
  kt::device_product p;
  p.type = kt::dtype_of<T>;
  p.m = m, p.n = n, p.k = k, p.batches = batches;
  set_strides(p.x_strides, m, k, of_x);
  set_strides(p.y_strides, k, n, of_y);
  p.x_batch = (m + 3) * (k + 3);
  p.alpha = 2, p.beta = beta;
  p.x = start(x), p.y = start(y), p.z = start(z);
  p.function = with.function;
  p.is_gradient = with.is_gradient;
  if (with.bias) p.bias = start(bias);
  if (with.aux) p.aux = start(aux);
  if (with.sums) p.sums = start(sums);
  auto expected_z = z, expected_sums = sums, expected_aux = aux;
  kt::device_product expected = p;
  expected.z = start(expected_z);
  if (with.aux) expected.aux = start(expected_aux);
  if (with.sums) expected.sums = start(expected_sums);
  simulated::multiply(expected);
  check(on.supports_epilogue(p, nullptr, "dot"), "it can");
  on.multiply(p, nullptr, "dot");
  check(with.function == kt::product_function::gelu_tanh ? near(z, expected_z) : z == expected_z, "product");
  check(with.function == kt::product_function::gelu_tanh ? near(sums, expected_sums) : sums == expected_sums, "sums");
  check(std::memcmp(aux.data(), expected_aux.data(), aux.size() * sizeof(T)) == 0,
        "aux");  // bits of a mask can be those of NaN
}

void compare_all(kt::runtime::on_cuda::products& on) {
  for (const form of_x : {form::plain, form::transposed, form::part})
    for (const form of_y : {form::plain, form::transposed, form::part})
      for (const double beta : {0.0, 1.0}) {
        compare<float>(on, 5, 7, 3, 1, of_x, of_y, beta, {});
        compare<double>(on, 5, 7, 3, 1, of_x, of_y, beta, {});
        for (const std::int64_t one : {1, 4}) compare<float>(on, one, 1, 6, 1, of_x, of_y, beta, {});
        compare<float>(on, 1, 4, 1, 1, of_x, of_y, beta, {});
        compare<float>(on, 4, 3, 2, 3, of_x, of_y, beta, {});
      }
  for (const std::int64_t n : {1, 7, 128, 130}) {
    compare<float>(on, 9, n, 4, 1, form::plain, form::plain, 0, {.bias = true});
    for (const auto function : {kt::product_function::relu, kt::product_function::gelu_tanh}) {
      const bool can_keep = function == kt::product_function::relu || n % 8 == 0;
      for (const bool bias : {false, true})
        for (const bool aux : {false, can_keep})
          compare<float>(on, 9, n, 4, 1, form::plain, form::transposed, 0,
                         {.bias = bias, .function = function, .aux = aux});
      for (const bool sums : {false, true})
        for (const double beta : {0.0, 1.0})
          if (can_keep)
            compare<float>(on, 9, n, 4, 1, form::plain, form::transposed, beta,
                           {.function = function, .is_gradient = true, .aux = true, .sums = sums});
    }
  }
}

/// Whether products may have a function, and its gradient, with a library of this kind.
void check_probe(habit kind, kt::product_function function, bool has_function, bool has_gradient,
                 kt::product_math math = {}) {
  library = kind;
  kt::runtime::on_cuda::products on(0);
  kt::device_product p;
  p.math = math;
  p.m = p.k = 4, p.n = 8;
  p.x_strides[0] = 4, p.y_strides[0] = 8;
  p.x_strides[1] = p.y_strides[1] = 1;
  kt::device_product forward = p, backward = p;
  forward.function = backward.function = function;
  backward.is_gradient = true;
  alignas(16) std::byte aux[256];
  backward.aux = aux;
  check(on.supports_epilogue(p, nullptr, "dot"), "a product");
  check(on.supports_epilogue(forward, nullptr, "dot") == has_function, "function");
  check(on.supports_epilogue(backward, nullptr, "dot") == has_gradient, "gradient");
  forward.aux = aux;
  check(on.supports_epilogue(forward, nullptr, "dot") == (has_function && has_gradient),
        "function that keeps what its gradient needs");
  forward.n = backward.n = 9;
  const bool is_relu = function == kt::product_function::relu;
  check(on.supports_epilogue(forward, nullptr, "dot") == (is_relu && has_function && has_gradient), "odd rows");
  check(on.supports_epilogue(backward, nullptr, "dot") == (is_relu && has_gradient), "odd rows of a gradient");
  library = habit::none;
}

/// cuBLASLt is told how operands are aligned, each by itself, and asked again where that is less. Row-major z = x y is
/// z' = y' x' to it: A is y.
void check_alignments() {
  alignas(512) static std::byte memory[4096];
  const auto asked = [](std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t bias) {
    kt::runtime::on_cuda::products on(0);
    kt::device_product p;
    p.m = p.n = p.k = 4;
    p.x_strides[0] = p.y_strides[0] = 4;
    p.x_strides[1] = p.y_strides[1] = 1;
    p.x = memory + x, p.y = memory + y, p.z = memory + z;
    if (bias > 0) p.bias = memory + bias;
    (void)on.workspace_of(p, "dot");
    const int before = heuristics;
    p.x += 256;
    (void)on.workspace_of(p, "dot");  // as aligned as the first
    check(heuristics == before, "an algorithm for the same alignment");
    p.y += 4;
    const bool was_less = alignments[0] == 4;
    const std::string found = std::to_string(alignments[0]) + " " + std::to_string(alignments[1]) + " " +
                              std::to_string(alignments[2]) + " " + std::to_string(alignments[3]);
    (void)on.workspace_of(p, "dot");
    check(was_less || heuristics == before + 1, "another algorithm for another alignment");
    return found;
  };
  check(asked(0, 512, 1024, 0) == "256 256 256 256", "buffers on a device");
  check(asked(64, 512, 1024, 0) == "256 64 256 256", "an offset of x");
  check(asked(0, 528, 1024, 2048) == "16 256 256 256", "an offset of y");
  check(asked(0, 512, 1024, 2052) == "256 256 4 4", "an offset of what is read along with z");
  check(asked(260, 516, 1028, 0) == "4 4 4 4", "offsets of one element");
}

/// More blocks than a grid has are refused, and not taken for a few.
void check_grids() {
  const auto blocks = [](std::int64_t count, std::int64_t per_block) -> std::string {
    try {
      return std::to_string(kt::runtime::on_cuda::blocks_for(count, per_block, "sum"));
    } catch (const kt::device_error& e) {
      return e.what();
    }
  };
  constexpr std::int64_t most = 2147483647;
  check(blocks(1, 256) == "1" && blocks(257, 256) == "2" && blocks(most, 1) == "2147483647" &&
            blocks(most * 256, 256) == "2147483647",
        "grids");
  constexpr const char* sentence =
      "kroton: sum: it takes 2147483648 blocks of threads, but a GPU runs at most 2147483647 at a time; call with "
      "smaller extents";
  check(blocks(most + 1, 1) == sentence && blocks(most * 256 + 1, 256) == sentence &&
            blocks(std::numeric_limits<std::int64_t>::max(), 8).starts_with("kroton: sum: "),
        "grids that are too large");
}

/// What fails is told with the name of the operation.
void check_errors() {
  const auto said = [](auto status) -> std::string {
    try {
      kt::runtime::on_cuda::check(status, "softmax");
    } catch (const kt::memory_error& e) {
      return std::string("memory_error: ") + e.what();
    } catch (const kt::device_error& e) {
      return e.what();
    }
    return "nothing";
  };
  check(said(cudaSuccess) == "nothing" && said(CUBLAS_STATUS_SUCCESS) == "nothing", "success");
  check(said(cudaErrorIllegalAddress).starts_with("kroton: softmax: cudaErrorIllegalAddress: "), "an error of CUDA");
  check(said(cudaErrorMemoryAllocation).starts_with("memory_error: kroton: softmax: the device has no memory left ("),
        "no memory");
  const auto allocates = [](cudaError_t status) -> std::string {
    try {
      kt::runtime::on_cuda::check_allocation(status, "cudaMallocAsync");
    } catch (const std::bad_alloc&) {
      return "bad_alloc";
    } catch (const kt::device_error& e) {
      return e.what();
    }
    return "nothing";
  };
  check(allocates(cudaSuccess) == "nothing" && allocates(cudaErrorMemoryAllocation) == "bad_alloc",
        "no memory for a resource");
  check(allocates(cudaErrorIllegalAddress).starts_with("kroton: cudaMallocAsync: cudaErrorIllegalAddress: "),
        "a device that failed before");
  check(said(CUBLAS_STATUS_EXECUTION_FAILED).starts_with("kroton: softmax: CUBLAS_STATUS_EXECUTION_FAILED: "),
        "an error of cuBLAS");
}

}  // namespace

int main() {
  check_errors();
  check_alignments();
  check_grids();
  kt::runtime::on_cuda::products on(0);
  compare_all(on);
  const int before = heuristics;
  compare_all(on);
  check(heuristics == before, "algorithms are aux");
  const auto relu = kt::product_function::relu, gelu = kt::product_function::gelu_tanh;
  check_probe(habit::none, relu, true, true);
  check_probe(habit::relu_loses_nan, relu, false, false);
  check_probe(habit::relu_loses_nan, relu, true, true, {kt::product_precision::full, true});
  check_probe(habit::gradient_multiplies, relu, true, true, {kt::product_precision::full, true});
  check_probe(habit::mask_of_zero, relu, true, false, {kt::product_precision::full, true});
  check_probe(habit::mask_of_zero, relu, true, false);
  check_probe(habit::gradient_multiplies, relu, true, false);
  check_probe(habit::sums_before_gradient, relu, true, false);
  check_probe(habit::no_gradient, relu, true, false);
  check_probe(habit::refuses, relu, false, false);
  check_probe(habit::none, gelu, true, true);
  check_probe(habit::nan_at_infinity, gelu, true, true);
  check_probe(habit::rough_gelu, gelu, false, false);
  check_probe(habit::rough_gelu, gelu, true, true, {kt::product_precision::tf32, false});
  check_probe(habit::keeps_result, gelu, true, false);
  check_probe(habit::sums_before_gradient, gelu, true, false);
  check_probe(habit::no_gradient, gelu, true, false);
  return failures == 0 ? 0 : 1;
}
