// This header has memory for a buffer, aligned for the widest SIMD register.
#pragma once

#include <kroton/config.hpp>
#include <kroton/runtime/context/small_blocks.hpp>

#include <new>
#include <utility>

namespace kroton::runtime {

class memory_account;
/// These functions call the members of memory_account with the same names, for headers that do not include it.
void charge(memory_account& account, std::int64_t bytes);
void discharge(memory_account& account, std::int64_t bytes) noexcept;

/// A block of uninitialised bytes. A small block is one that the thread has kept, or a new one. A large block is lent
/// by a context, or is taken from the system with exactly the requested size.
class aligned_block {
 public:
  constexpr aligned_block() = default;
  /// `lender` lends large blocks; if it is null, they are from the system.
  KROTON_INLINE explicit aligned_block(std::size_t bytes, memory_account* lender = nullptr) {
    if (bytes == 0) return;
    bytes_ = static_cast<std::int64_t>(bytes);
    if (bytes_ < least_large_bytes) {
      const small_block taken = blocks_of_thread.take(bytes);
      data_ = taken.data;
      from_ = taken.from;
    } else {
      take_large(lender);
    }
  }
  constexpr aligned_block(aligned_block&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), from_(other.from_), bytes_(other.bytes_), room_(other.room_) {}
  constexpr aligned_block& operator=(aligned_block&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(from_, other.from_);
    std::swap(bytes_, other.bytes_);
    std::swap(room_, other.room_);
    return *this;
  }
  KROTON_INLINE constexpr ~aligned_block() {
    if (data_ == nullptr) return;
    if (bytes_ < least_large_bytes) blocks_of_thread.give({data_, from_}, static_cast<std::size_t>(bytes_));
    else give_large();
  }

  std::byte* data() const { return data_; }
  /// The account that has lent the block; null if the block is from the system.
  memory_account* lender() const {
    return data_ != nullptr && room_ > 0 ? static_cast<memory_account*>(from_) : nullptr;
  }

 private:
  std::byte* data_ = nullptr;
  void* from_ = nullptr;               // the address that operator new gave, or the lender
  std::int64_t bytes_ = 0, room_ = 0;  // requested, and lent; `room_` is 0 if the block is from the system

  /// Takes a large block from a context, or from the system, aligned for its size. A block of huge pages asks Linux for
  /// them: lookups in a table of a few MiB take two thirds of the time.
  void take_large(memory_account* lender);
  void give_large() noexcept;
};

/// A block for a tensor of these extents, whose elements have `element_size` bytes. Throws shape_error for a negative
/// extent, and memory_error.
aligned_block block_for_any(const std::int64_t* extents, std::size_t rank, std::int64_t element_size,
                            memory_account* lender);
/// The same, with less work for a small tensor. A scalar needs no block.
template <std::int64_t ElementSize, std::size_t Rank>
KROTON_INLINE aligned_block block_for(const std::array<std::int64_t, Rank>& extents, memory_account* lender) {
  if constexpr (Rank == 0) {
    return {};
  } else {
    std::int64_t bytes = ElementSize;
    bool is_small = true;
    for (const std::int64_t e : extents) {
      is_small = is_small && e >= 0 && e < least_large_bytes;
      bytes = is_small ? bytes * e : 0;
      is_small = is_small && bytes < least_large_bytes;
    }
    if (is_small) [[likely]]
      return aligned_block(static_cast<std::size_t>(bytes));
    return block_for_any(extents.data(), Rank, ElementSize, lender);
  }
}

/// Bytes that count as in use in an account while this object lives; the account must outlive it. Throws memory_error
/// if the budget does not allow them.
class counted_bytes {
 public:
  counted_bytes() = default;
  counted_bytes(memory_account& account, std::int64_t bytes) : bytes_(bytes) {
    charge(account, bytes);
    account_ = &account;
  }
  counted_bytes(counted_bytes&& other) noexcept
      : account_(std::exchange(other.account_, nullptr)), bytes_(other.bytes_) {}
  counted_bytes& operator=(counted_bytes&& other) noexcept {
    std::swap(account_, other.account_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~counted_bytes() {
    if (account_ != nullptr) discharge(*account_, bytes_);
  }

 private:
  memory_account* account_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/context/aligned_block.ipp>
#endif
