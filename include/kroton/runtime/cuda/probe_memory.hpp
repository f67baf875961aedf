// This header has what the probes of cuBLASLt share: the form of their matrices, and memory of a device.
#pragma once

#include <kroton/runtime/cuda/check.hpp>

#include <array>
#include <new>
#include <optional>

namespace kroton::runtime::on_cuda {

/// The square matrices of floats that a probe multiplies.
struct probe_matrices {
  static constexpr const char* what = "dot";
  static constexpr std::int64_t extent = 64, bytes = extent * extent * static_cast<std::int64_t>(sizeof(float));
  using matrix = std::array<float, static_cast<std::size_t>(extent* extent)>;
  static std::size_t at(std::int64_t i, std::int64_t j) { return static_cast<std::size_t>(i * extent + j); }
};

/// What `use` returns, called with the address of so many bytes; nothing if there is no memory.
template <class Use>
auto with_probe_memory(std::int64_t bytes, cudaStream_t stream, const char* what, const Use& use)
    -> std::optional<decltype(use(static_cast<std::byte*>(nullptr)))> {
  void* memory = nullptr;
  try {
    check_allocation(cudaMallocAsync(&memory, static_cast<std::size_t>(bytes), stream), what);
  } catch (const std::bad_alloc&) {
    return {};
  }
  const auto result = [&] {
    try {
      return use(static_cast<std::byte*>(memory));
    } catch (...) {
      (void)cudaFreeAsync(memory, stream);
      throw;
    }
  }();
  check(cudaFreeAsync(memory, stream), what);
  return result;
}

}  // namespace kroton::runtime::on_cuda
