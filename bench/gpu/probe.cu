// Whether what this compiler makes runs on the GPU that is here, cuBLASLt included: names the GPU, or says what is
// wrong. Says also which functions cuBLASLt applies as Kroton's kernels would, so that products take them over.
#include "timing.hpp"

#include <kroton/runtime/cuda/products.hpp>

namespace {

__global__ void answer(int* to) { *to = 42; }

void ask() {
  cudaDeviceProp properties{};
  bench::check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  const bench::device_bytes memory(sizeof(int));
  answer<<<1, 1>>>(memory.as<int>());
  bench::check(cudaGetLastError(), "a kernel");
  int found = 0;
  bench::check(cudaMemcpy(&found, memory.as<int>(), sizeof found, cudaMemcpyDeviceToHost), "a kernel");
  if (found != 42) throw std::runtime_error("a kernel did not write what it should");
  cublasLtHandle_t handle = nullptr;
  if (cublasLtCreate(&handle) != CUBLAS_STATUS_SUCCESS) throw std::runtime_error("cuBLASLt does not start");
  (void)cublasLtDestroy(handle);
  std::printf("%s, compute capability %d.%d, cuBLASLt %zu\n", properties.name, properties.major, properties.minor,
              cublasLtGetVersion());
}

void tell_of_functions() {
  namespace kt = kroton;
  constexpr std::pair<kt::graph::product_function, const char*> functions[] = {
      {kt::graph::product_function::relu, "relu"}, {kt::graph::product_function::gelu_tanh, "gelu_tanh"}};
  constexpr std::pair<kt::runtime::product_precision, const char*> precisions[] = {
      {kt::runtime::product_precision::full, "full precision"},
      {kt::runtime::product_precision::tf32, "tf32"},
      {kt::runtime::product_precision::bf16, "bf16"}};
  kt::runtime::on_cuda::products on(0);
  for (const auto& function : functions)
    for (const auto& precision : precisions)
      for (const bool is_finite : {false, true}) {
        const auto found = [&](bool has_gradient) {
          const std::optional<bool> is_right =
              kt::runtime::on_cuda::product_probe(on, {precision.first, is_finite}, function.first, has_gradient)
                  .run(nullptr);
          return !is_right ? "not asked, for want of memory" : *is_right ? "by cuBLASLt" : "in kernels";
        };
        std::printf("%s of %s in %s: %s, for gradients %s\n", function.second,
                    is_finite ? "finite numbers" : "any numbers", precision.second, found(false), found(true));
      }
}

}  // namespace

int main() {
  try {
    if (!bench::has_gpu("probe")) return 1;
    ask();
    tell_of_functions();
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "probe: %s\n", problem.what());
    return 1;
  }
}
