// This header starts tasks on threads, warps and blocks of a GPU.
#pragma once

#include <kroton/runtime/cuda/driver.hpp>
#include <kroton/runtime/device/indexed.hpp>
#include <kroton/runtime/device/launch.hpp>
#include <kroton/runtime/device/product.hpp>
#include <kroton/runtime/device/selection.hpp>

#include <cub/block/block_reduce.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_transform.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <bit>

namespace kroton::runtime::on_cuda {

/// `Size` neighbouring threads of a warp, or all 32 of them; see row_body. `Size` is a power of two.
template <int Size>
class warp_threads {
 public:
  static constexpr int size = Size;
  static constexpr bool is_block = false;
  template <class State>
  struct locals {
    __device__ explicit locals(warp_threads&) {}
    State of;
  };
  template <class State, class Body>
  __device__ void each(locals<State>& every, const Body& body) {
    body(static_cast<int>(threadIdx.x % size), every.of);
  }
  template <class State, class Get, class Merge>
  __device__ void all_reduce(locals<State>& every, const Get& get, const Merge& merge) {
    using part = std::remove_reference_t<decltype(get(every.of))>;
    part& mine = get(every.of);
    const unsigned first = threadIdx.x % 32 / size * size, together = (0xffffffffu >> (32 - size)) << first;
    // A butterfly of exchanges: both threads of a pair merge the same two parts in the same order, so that all threads
    // have the same result, bit by bit.
    for (int distance = size / 2; distance > 0; distance /= 2) {
      part other = cub::ShuffleIndex<size>(
          mine, static_cast<int>((threadIdx.x % size) ^ static_cast<unsigned>(distance)), together);
      if ((threadIdx.x & static_cast<unsigned>(distance)) == 0) {
        merge(mine, other);
      } else {
        merge(other, mine);
        mine = other;
      }
    }
    __syncwarp(together);  // because shuffles do not order accesses to memory
  }
};

/// The threads of a block.
template <int Size>
class block_threads {
 public:
  static constexpr int size = Size;
  static constexpr bool is_block = true;
  template <class State>
  struct locals {
    __device__ explicit locals(block_threads&) {}
    State of;
  };
  template <class State, class Body>
  __device__ void each(locals<State>& every, const Body& body) {
    body(static_cast<int>(threadIdx.x), every.of);
  }
  template <class State, class Get, class Merge>
  __device__ void all_reduce(locals<State>& every, const Get& get, const Merge& merge) {
    using part = std::remove_reference_t<decltype(get(every.of))>;
    using reduction = cub::BlockReduce<part, size>;
    __shared__ typename reduction::TempStorage temporary;
    __shared__ alignas(part) std::byte result[sizeof(part)];
    part sum = reduction(temporary).Reduce(get(every.of), [&](part x, const part& y) {
      merge(x, y);
      return x;
    });
    if (threadIdx.x == 0) *reinterpret_cast<part*>(result) = sum;
    __syncthreads();
    get(every.of) = *reinterpret_cast<const part*>(result);
    __syncthreads();  // before the memory is used again
  }
  /// Merges threads whose numbers are the same modulo `across`, a power of two, into the first of them. The upper half
  /// of the threads gives its states to the lower half, again and again, through at most 32 KiB of shared memory.
  template <class State, class Merge>
  __device__ void reduce_depth(locals<State>& every, int across, const Merge& merge) {
    constexpr int most = 32768 / static_cast<int>(sizeof(State)), slots = most < size / 2 ? most : size / 2;
    __shared__ alignas(State) std::byte memory[sizeof(State) * slots];
    State* const others = reinterpret_cast<State*>(memory);
    const int thread = static_cast<int>(threadIdx.x);
    for (int half = size / 2; half >= across; half /= 2)
      for (int first = 0; first < half; first += slots) {
        const int slot = thread - first, last = half - first < slots ? half - first : slots;
        if (slot >= half && slot < half + last) others[slot - half] = every.of;
        __syncthreads();
        if (slot >= 0 && slot < last) merge(every.of, others[slot]);
        __syncthreads();
      }
  }
};

inline constexpr int threads_of_task = 256;

template <class Task>
__global__ void __launch_bounds__(threads_of_task, on_device::blocks_at_a_time<Task>)
    run_threads(const __grid_constant__ Task task, std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads_of_task + threadIdx.x;
  if (i < count) task(i);
}
template <class Group, class Task>
__global__ void __launch_bounds__(threads_of_task, on_device::blocks_at_a_time<Task>)
    run_warps(const __grid_constant__ Task task, std::int64_t count) {
  const std::int64_t i = (static_cast<std::int64_t>(blockIdx.x) * threads_of_task + threadIdx.x) / Group::size;
  if (i >= count) return;
  Group group;
  task(group, i);
}
template <class Group, class Task>
__global__ void __launch_bounds__(Group::size, on_device::blocks_at_a_time<Task>* threads_of_task / Group::size)
    run_blocks(const __grid_constant__ Task task) {
  Group group;
  task(group, static_cast<std::int64_t>(blockIdx.x));
}

/// The largest grid of any GPU.
inline constexpr std::int64_t most_blocks = (std::int64_t{1} << 31) - 1;
/// The number of blocks for `count` threads or groups of threads. `what`: an operation, for messages.
inline unsigned blocks_for(std::int64_t count, std::int64_t per_block, const char* what) {
  const std::int64_t blocks = count / per_block + (count % per_block != 0);
  if (blocks > most_blocks)
    throw device_error(message("kroton: ", what, ": it takes ", blocks, " blocks of threads, but a GPU runs at most ",
                               most_blocks, " at a time; call with smaller extents"));
  return static_cast<unsigned>(blocks);
}

class launch {
 public:
  using few = warp_threads<8>;
  using warp = warp_threads<32>;
  using half_block = block_threads<threads_of_task / 2>;
  using block = block_threads<threads_of_task>;
  /// `what`: an operation, for messages.
  launch(device_stream& on, const char* what) : on_(static_cast<stream&>(on)), what_(what) {}

  cudaStream_t native_stream() const { return on_.get(); }

  template <class Task>
  void threads(std::int64_t count, const Task& task) const {
    if (count == 0) return;
    const current_device here(on_.device());
    run_threads<<<grid(count, threads_of_task), threads_of_task, 0, on_.get()>>>(task, count);
    check(cudaGetLastError(), what_);
  }
  template <class Group, class Task>
  void groups(std::int64_t count, const Task& task) const {
    if (count == 0) return;
    const current_device here(on_.device());
    if constexpr (Group::is_block) run_blocks<Group><<<grid(count, 1), Group::size, 0, on_.get()>>>(task);
    else run_warps<Group><<<grid(count, threads_of_task / Group::size), threads_of_task, 0, on_.get()>>>(task, count);
    check(cudaGetLastError(), what_);
  }

  template <class Function, class Result, class... Argument>
  void transform(std::int64_t count, const Function& function, Result* result, const Argument*... arguments) const {
    const current_device here(on_.device());
    check(cub::DeviceTransform::Transform(::cuda::std::make_tuple(arguments...), result, count, function, on_.get()),
          what_);
  }

  /// Bytes that `sort_by_key` needs. The bits are those of the largest key, at least one.
  template <class Key, class Value>  // a template, because sorting takes long to compile and few functions need it
  std::int64_t sort_workspace(std::int64_t count, int bits) const {
    const current_device here(on_.device());  // the bytes depend on the kernels of this device
    std::size_t bytes = 0;
    const Key* keys = nullptr;
    const Value* values = nullptr;
    Key* sorted = nullptr;
    Value* moved = nullptr;
    check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, sorted, values, moved, count, 0, bits), what_);
    return static_cast<std::int64_t>(bytes);
  }
  /// Sorts unsigned or positive keys, and with them their values; equal keys keep their order.
  template <class Key, class Value>
  void sort_by_key(const Key* keys, Key* sorted, const Value* values, Value* moved, std::int64_t count, int bits,
                   std::byte* workspace) const {
    const current_device here(on_.device());
    std::size_t bytes = static_cast<std::size_t>(sort_workspace<Key, Value>(count, bits));
    check(cub::DeviceRadixSort::SortPairs(workspace, bytes, keys, sorted, values, moved, count, 0, bits, on_.get()),
          what_);
  }
  /// Bytes that `select` needs.
  template <class Flag>  // a template, as sorting is
  std::int64_t select_workspace(std::int64_t count) const {
    const current_device here(on_.device());
    std::size_t bytes = 0;
    const Flag* mask = nullptr;
    std::int64_t* found = nullptr;
    check(cub::DeviceSelect::Flagged(nullptr, bytes, every_position(0), mask,
                                     on_device::selection_target(nullptr, 0, nullptr), found, count),
          what_);
    return static_cast<std::int64_t>(bytes);
  }
  /// Writes the positions of the elements of a mask that hold, in order, and how many hold to `found`.
  template <class Flag>
  void select(const Flag* mask, std::int64_t count, const on_device::selection_target& to, std::int64_t* found,
              std::byte* workspace) const {
    const current_device here(on_.device());
    std::size_t bytes = static_cast<std::size_t>(select_workspace<Flag>(count));
    check(cub::DeviceSelect::Flagged(workspace, bytes, every_position(0), mask, to, found, count, on_.get()), what_);
  }

 private:
  using every_position = thrust::counting_iterator<std::int64_t>;
  stream& on_;
  const char* what_;
  unsigned grid(std::int64_t count, std::int64_t per_block) const { return blocks_for(count, per_block, what_); }
};

}  // namespace kroton::runtime::on_cuda
