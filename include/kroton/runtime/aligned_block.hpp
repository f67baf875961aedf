// Memory for a buffer, aligned for the widest SIMD register.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace kroton {

/// Alignment of every buffer on the host, in bytes: a cache line.
inline constexpr std::size_t buffer_alignment = 64;
/// Of every buffer on a device: what CUDA's allocations have, and what cuBLASLt takes for granted unless it is told otherwise.
inline constexpr std::size_t device_alignment = 256;

/// Uninitialised bytes. For small blocks plain operator new and rounding up is several times faster than aligned new,
/// because the allocator takes them from its cache; large blocks have exactly the size asked for.
class aligned_block {
 public:
  aligned_block() = default;
  explicit aligned_block(std::size_t bytes) {
    if (bytes == 0) return;
    is_small_ = bytes < 4096;
    if (is_small_) {
      std::size_t room = bytes + buffer_alignment;
      void* at = block_ = ::operator new(room);
      data_ = static_cast<std::byte*>(std::align(buffer_alignment, bytes, at, room));
    } else {
      block_ = ::operator new(bytes, std::align_val_t(buffer_alignment));
      data_ = static_cast<std::byte*>(block_);
    }
  }
  aligned_block(aligned_block&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), data_(std::exchange(other.data_, nullptr)), is_small_(other.is_small_) {}
  aligned_block& operator=(aligned_block&& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(data_, other.data_);
    std::swap(is_small_, other.is_small_);
    return *this;
  }
  ~aligned_block() {
    if (block_ == nullptr) return;
    if (is_small_) ::operator delete(block_);
    else ::operator delete(block_, std::align_val_t(buffer_alignment));
  }

  std::byte* data() const { return data_; }

 private:
  void* block_ = nullptr;
  std::byte* data_ = nullptr;
  bool is_small_ = true;
};

}  // namespace kroton
