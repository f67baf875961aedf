// What cuBLASLt is asked for, without a GPU; played_cublaslt.hpp answers in its place.
// wraps: cudaGetDevice cudaMallocAsync cudaFreeAsync cudaMemcpyAsync cudaMemsetAsync cudaStreamSynchronize
// wraps: cublasLtCreate cublasLtDestroy cublasLtMatmulAlgoGetHeuristic cublasLtMatmul
#include "played_cublaslt.hpp"

#include <cstdio>
#include <random>
#include <string>
#include <vector>

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
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(kt::runtime::device_alignment)));
  }
  void deallocate(T* block, std::size_t) { ::operator delete(block, std::align_val_t(kt::runtime::device_alignment)); }
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
struct epilogue_request {
  bool bias = false;
  kt::graph::product_function function = kt::graph::product_function::none;
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
             form of_x, form of_y, double beta, const epilogue_request& with) {
  auto x = random<T>(batches * (m + 3) * (k + 3)), y = random<T>(batches * (k + 3) * (n + 3)),
       z = random<T>(batches * m * n), bias = random<T>(n), sums = random<T>(n);
  auto aux = random<T>(m * n + kt::runtime::mask_bytes(m, n));
  kt::runtime::device_product p;
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
  kt::runtime::device_product expected = p;
  expected.z = start(expected_z);
  if (with.aux) expected.aux = start(expected_aux);
  if (with.sums) expected.sums = start(expected_sums);
  simulated::multiply(expected);
  check(on.supports_epilogue(p, nullptr, "dot"), "it can");
  on.multiply(p, nullptr, "dot");
  check(with.function == kt::graph::product_function::gelu_tanh ? near(z, expected_z) : z == expected_z, "product");
  check(with.function == kt::graph::product_function::gelu_tanh ? near(sums, expected_sums) : sums == expected_sums,
        "sums");
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
    for (const double beta : {0.0, 1.0})
      compare<float>(on, 9, n, 4, 1, form::transposed, form::plain, beta, {.sums = true});
    for (const auto function : {kt::graph::product_function::relu, kt::graph::product_function::gelu_tanh}) {
      const bool can_keep = function == kt::graph::product_function::relu || n % 8 == 0;
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
void check_probe(habit kind, kt::graph::product_function function, bool has_function, bool has_gradient,
                 kt::runtime::product_math math = {}) {
  library = kind;
  kt::runtime::on_cuda::products on(0);
  kt::runtime::device_product p;
  p.math = math;
  p.m = p.k = 4, p.n = 8;
  p.x_strides[0] = 4, p.y_strides[0] = 8;
  p.x_strides[1] = p.y_strides[1] = 1;
  kt::runtime::device_product forward = p, backward = p;
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
  const bool is_relu = function == kt::graph::product_function::relu;
  check(on.supports_epilogue(forward, nullptr, "dot") == (is_relu && has_function && has_gradient), "odd rows");
  check(on.supports_epilogue(backward, nullptr, "dot") == (is_relu && has_gradient), "odd rows of a gradient");
  library = habit::none;
}

/// Whether products may sum their second factor with a library of this kind.
void check_sums(habit kind, bool expected, kt::runtime::product_math math = {}) {
  library = kind;
  kt::runtime::on_cuda::products on(0);
  kt::runtime::device_product p;
  p.math = math;
  p.m = p.n = p.k = 4;
  p.x_strides[1] = p.y_strides[0] = 4;
  p.x_strides[0] = p.y_strides[1] = 1;
  check(on.supports_epilogue(p, nullptr, "dot"), "a product without sums");
  alignas(16) std::byte sums[16];
  p.sums = sums;
  check(on.supports_epilogue(p, nullptr, "dot") == expected, "sums of a factor");
  library = habit::none;
}

/// cuBLASLt is told how operands are aligned, each by itself, and asked again where that is less. Row-major z = x y is
/// z' = y' x' to it: A is y.
void check_alignments() {
  alignas(512) static std::byte memory[4096];
  const auto asked = [](std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t bias) {
    kt::runtime::on_cuda::products on(0);
    kt::runtime::device_product p;
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
  const auto relu = kt::graph::product_function::relu, gelu = kt::graph::product_function::gelu_tanh;
  check_probe(habit::none, relu, true, true);
  check_probe(habit::relu_loses_nan, relu, false, false);
  check_probe(habit::relu_loses_nan, relu, true, true, {kt::runtime::product_precision::full, true});
  check_probe(habit::gradient_multiplies, relu, true, true, {kt::runtime::product_precision::full, true});
  check_probe(habit::mask_of_zero, relu, true, false, {kt::runtime::product_precision::full, true});
  check_probe(habit::mask_of_zero, relu, true, false);
  check_probe(habit::gradient_multiplies, relu, true, false);
  check_probe(habit::sums_before_gradient, relu, true, false);
  check_probe(habit::no_gradient, relu, true, false);
  check_probe(habit::refuses, relu, false, false);
  check_probe(habit::divides_sums, relu, false, false);
  check_probe(habit::none, gelu, true, true);
  check_probe(habit::nan_at_infinity, gelu, true, true);
  check_probe(habit::rough_gelu, gelu, false, false);
  check_probe(habit::rough_gelu, gelu, true, true, {kt::runtime::product_precision::tf32, false});
  check_probe(habit::keeps_result, gelu, true, false);
  check_probe(habit::sums_before_gradient, gelu, true, false);
  check_probe(habit::no_gradient, gelu, true, false);
  check_sums(habit::none, true);
  check_sums(habit::none, true, {kt::runtime::product_precision::tf32, false});
  check_sums(habit::scales_sums, false);
  check_sums(habit::rounds_sums, false);
  check_sums(habit::refuses, false);
  check_sums(habit::divides_sums, false);
  return failures == 0 ? 0 : 1;
}
