// This file makes small blocks, and begins and ends the lists of those that a thread keeps.
#pragma once

#include <kroton/runtime/context/error.hpp>

#include <memory>
#include <utility>

namespace kroton::runtime {

/// Plain operator new is several times faster than aligned new, because the allocator has a cache for such blocks.
KROTON_DEFINITION small_block new_small_block(std::size_t bytes) {
  return within_memory([&]() -> small_block {
    std::size_t room = bytes + buffer_alignment;
    void* const from = ::operator new(room);
    void* at = from;
    return {static_cast<std::byte*>(std::align(buffer_alignment, bytes, at, room)), from};
  });
}

/// Gives the blocks of a thread back when the thread ends.
struct small_blocks::ending {
  ~ending() { blocks_of_thread.end(); }
};

[[gnu::cold]] KROTON_DEFINITION bool small_blocks::begin() noexcept {
  if (has_begun_ || !keeps_blocks) return false;
  has_begun_ = true;
  fills_ = perturbing_byte() != 0;
  thread_local const ending at_end;
  (void)&at_end;
  room_ = most;
  return true;
}
[[gnu::cold]] KROTON_DEFINITION void small_blocks::end() noexcept {
  room_ = 0;
  for (std::size_t size = 0; size < classes; ++size)
    for (count_[size] = 0; last_[size] != nullptr;)
      ::operator delete(std::exchange(last_[size], last_[size]->before)->from);
}

}  // namespace kroton::runtime
