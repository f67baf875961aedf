// Copies of memory on a GPU, which kernels that memory limits are compared with.
#pragma once

#include "kroton.hpp"

namespace bench {

/// A block of the kernel that copies has so many threads, and each of them copies so many vectors.
inline constexpr int threads = 256, vectors_of_thread = 4;

/// Each thread copies a few vectors that it reads before it writes; a block copies consecutive ones.
static __global__ void copy_vectors(const float4* from, float4* to, std::int64_t count) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (threads * vectors_of_thread) + threadIdx.x;
  float4 values[vectors_of_thread];
#pragma unroll
  for (int i = 0; i < vectors_of_thread; ++i)
    if (first + i * threads < count) values[i] = from[first + i * threads];
#pragma unroll
  for (int i = 0; i < vectors_of_thread; ++i)
    if (first + i * threads < count) to[first + i * threads] = values[i];
}

/// Races a function of a session against copies of `elements` floats.
template <class Function>
void race_copies(suite& all, const std::string& workload, const kroton::context& where, std::int64_t elements,
                 Function& f) {
  const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(float);
  const device_bytes from(bytes), to(bytes);
  check(cudaMemset(from.as<void>(), 0, bytes), "cudaMemset");
  cudaStream_t stream = stream_of(where);
  all.race(workload, stream,
           {
               {"cudaMemcpyAsync",
                [&] {
                  check(cudaMemcpyAsync(to.as<void>(), from.as<void>(), bytes, cudaMemcpyDeviceToDevice, stream),
                        "cudaMemcpyAsync");
                }},
               {"copy kernel",
                [&, vectors = elements / 4] {
                  constexpr std::int64_t of_block = threads * vectors_of_thread;
                  copy_vectors<<<static_cast<unsigned>((vectors + of_block - 1) / of_block), threads, 0, stream>>>(
                      from.as<float4>(), to.as<float4>(), vectors);
                  check(cudaGetLastError(), "copy kernel");
                }},
               {"kroton", [&] { f(); }},
           });
}

}  // namespace bench
