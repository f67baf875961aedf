// Whether what this compiler makes runs on the GPU that is here, cuBLASLt included: names the GPU, or says what is wrong.
#include "timing.hpp"

#include <cublasLt.h>

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
  std::printf("%s, compute capability %d.%d, cuBLASLt %zu\n", properties.name, properties.major, properties.minor, cublasLtGetVersion());
}

}  // namespace

int main() {
  try {
    if (!bench::has_gpu("probe")) return 1;
    ask();
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "probe: %s\n", problem.what());
    return 1;
  }
}
