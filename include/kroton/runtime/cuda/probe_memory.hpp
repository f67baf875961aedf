// This header lends memory of a device to code that tries what a library computes.
#pragma once

#include <kroton/runtime/cuda/check.hpp>

#include <new>
#include <optional>

namespace kroton::runtime::on_cuda {

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
