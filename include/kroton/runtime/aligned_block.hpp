// Memory for a buffer, aligned for the widest SIMD register.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace kroton {

/// Alignment of every buffer, in bytes: a cache line.
inline constexpr std::size_t buffer_alignment = 64;

/// Uninitialised bytes. Plain operator new and rounding up is several times faster than aligned new for small buffers,
/// which the allocator then takes from its cache.
class aligned_block {
 public:
  aligned_block() = default;
  explicit aligned_block(std::size_t bytes) {
    if (bytes == 0) return;
    block_.reset(static_cast<std::byte*>(::operator new(bytes + buffer_alignment)));
    std::size_t room = bytes + buffer_alignment;
    void* at = block_.get();
    data_ = static_cast<std::byte*>(std::align(buffer_alignment, bytes, at, room));
  }
  aligned_block(aligned_block&& other) noexcept : block_(std::move(other.block_)), data_(other.data_) { other.data_ = nullptr; }
  aligned_block& operator=(aligned_block&& other) noexcept {
    block_ = std::move(other.block_);
    data_ = other.data_;
    other.data_ = nullptr;
    return *this;
  }

  std::byte* data() const { return data_; }

 private:
  struct release {
    void operator()(std::byte* p) const { ::operator delete(p); }
  };
  std::unique_ptr<std::byte, release> block_;
  std::byte* data_ = nullptr;
};

}  // namespace kroton
