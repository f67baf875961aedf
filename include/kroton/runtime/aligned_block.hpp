// Memory for a buffer, aligned for the widest SIMD register.
#pragma once

#include <kroton/config.hpp>
#include <kroton/runtime/memory_block.hpp>

#include <memory>
#include <new>
#include <utility>

namespace kroton {

class memory_account;
/// See memory_account.
memory_block lend(memory_account& account, std::int64_t bytes);
void take_back(memory_account& account, const memory_block& block) noexcept;

/// Uninitialised bytes. For small blocks plain operator new and rounding up is several times faster than aligned new,
/// because the allocator takes them from its cache; large blocks are lent by a context, or have exactly the size asked
/// for.
class aligned_block {
 public:
  aligned_block() = default;
  /// `lender`: of large blocks; none: the system.
  explicit aligned_block(std::size_t bytes, const std::shared_ptr<memory_account>& lender = nullptr) {
    if (bytes == 0) return;
    block_.bytes = static_cast<std::int64_t>(bytes);
    if (is_small()) {
      std::size_t room = bytes + buffer_alignment;
      void* at = start_ = ::operator new(room);
      block_.data = static_cast<std::byte*>(std::align(buffer_alignment, bytes, at, room));
    } else if (lender == nullptr) {
      start_ = ::operator new(bytes, std::align_val_t(buffer_alignment));
      block_.data = static_cast<std::byte*>(start_);
    } else {
      block_ = lend(*lender, block_.bytes);
      lender_ = lender;
    }
  }
  aligned_block(aligned_block&& other) noexcept
      : block_(std::exchange(other.block_, memory_block())),
        start_(std::exchange(other.start_, nullptr)),
        lender_(std::move(other.lender_)) {}
  aligned_block& operator=(aligned_block&& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(start_, other.start_);
    lender_.swap(other.lender_);
    return *this;
  }
  ~aligned_block() {
    if (lender_ != nullptr) take_back(*lender_, block_);
    else if (start_ == nullptr) return;
    else if (is_small()) ::operator delete(start_);
    else ::operator delete(start_, std::align_val_t(buffer_alignment));
  }

  std::byte* data() const { return block_.data; }
  /// Who has lent it; none: the system.
  const std::shared_ptr<memory_account>& lender() const { return lender_; }

 private:
  memory_block block_;
  void* start_ = nullptr;  // of what operator new has given
  std::shared_ptr<memory_account> lender_;

  bool is_small() const { return block_.bytes < least_large_bytes; }
};

}  // namespace kroton

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/aligned_block.ipp>
#endif
