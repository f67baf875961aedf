// This header keeps the small blocks that a thread gives back, because the allocator of the program takes longer than a
// small function computes.
//
//     y = f(x), y is destroyed, y = f(x)  ->  the second output lies in the memory of the first
#pragma once

#include <kroton/config.hpp>
#include <kroton/runtime/context/kept_blocks.hpp>

#include <array>

namespace kroton::runtime {

/// Memory for a small buffer: its address, and the address that operator new gave.
struct small_block {
  std::byte* data = nullptr;
  void* from = nullptr;
};

/// A new block, whose address is rounded up. Throws memory_error.
small_block new_small_block(std::size_t bytes);

/// The small blocks that a thread keeps, in lists of blocks of equal size: at most `most` in each, which are 68 KiB
/// together. The facts about a block are written into it. The thread gives the blocks back when it ends.
class small_blocks {
 public:
  /// A block of at least `bytes` bytes, which are not 0.
  KROTON_INLINE small_block take(std::size_t bytes) {
    const std::size_t size = class_of(bytes);
    entry* const last = size < classes ? last_[size] : nullptr;
    if (last == nullptr) return new_small_block((size + 1) * buffer_alignment);
    last_[size] = last->before;
    --count_[size];
    const small_block taken{reinterpret_cast<std::byte*>(last), last->from};
    if (fills_) [[unlikely]]
      perturb({taken.data, static_cast<std::int64_t>(bytes)});
    return taken;
  }
  /// Keeps a block that `take` gave for so many bytes, or gives it back to the system.
  KROTON_INLINE void give(const small_block& block, std::size_t bytes) noexcept {
    const std::size_t size = class_of(bytes);
    if (size >= classes || (count_[size] >= room_ && !begin())) return ::operator delete(block.from);
    last_[size] = ::new (block.data) entry{last_[size], block.from};
    ++count_[size];
  }

 private:
  struct entry {
    entry* before;
    void* from;
  };
  struct ending;
  static constexpr std::size_t classes = 16;
  static constexpr int most = 8;

  std::array<entry*, classes> last_{};
  std::array<int, classes> count_{};
  int room_ = 0;  // 0 before the first block is given and after the thread has ended, and `most` between
  bool has_begun_ = false;
  bool fills_ = false;  // whether blocks are filled when they are taken, see `perturb`

  static std::size_t class_of(std::size_t bytes) { return (bytes - 1) / buffer_alignment; }
  /// Whether a block can be kept though its list has no room: if it is the first that the thread gives.
  bool begin() noexcept;
  void end() noexcept;
};

/// The blocks of the calling thread. Its constructor and its destructor do nothing, so that reading it costs nothing.
inline constinit thread_local small_blocks blocks_of_thread;

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/context/small_blocks.ipp>
#endif
