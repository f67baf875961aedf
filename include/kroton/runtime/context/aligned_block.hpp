// This header has memory for a buffer, aligned for the widest SIMD register.
#pragma once

#include <kroton/config.hpp>
#include <kroton/runtime/context/memory_block.hpp>

#include <memory>
#include <new>
#include <utility>

namespace kroton::runtime {

class memory_account;
/// These functions call the members of memory_account with the same names, for headers that do not include it.
memory_block lend(memory_account& account, std::int64_t bytes);
void take_back(memory_account& account, const memory_block& block) noexcept;
void charge(memory_account& account, std::int64_t bytes);
void discharge(memory_account& account, std::int64_t bytes) noexcept;
/// Takes a large block from the system, aligned by `system_alignment`. A block of huge pages asks Linux for them:
/// lookups in a table of a few MiB take two thirds of the time.
void* from_system(std::size_t bytes);
constexpr std::align_val_t system_alignment(std::size_t bytes) {
  return std::align_val_t(bytes < huge_page ? buffer_alignment : huge_page);
}

/// A block of uninitialised bytes. A small block is taken by plain operator new and its address is rounded up, which is
/// several times faster than aligned new, because the allocator has a cache for such blocks. A large block is lent by a
/// context, or is taken from the system with exactly the requested size.
class aligned_block {
 public:
  constexpr aligned_block() = default;
  /// `lender` lends large blocks; if it is null, they are from the system.
  explicit aligned_block(std::size_t bytes, memory_account* lender = nullptr) {
    if (bytes == 0) return;
    bytes_ = static_cast<std::int64_t>(bytes);
    if (bytes_ < least_large_bytes) {
      std::size_t room = bytes + buffer_alignment;
      void* at = from_ = ::operator new(room);
      data_ = static_cast<std::byte*>(std::align(buffer_alignment, bytes, at, room));
    } else if (lender == nullptr) {
      from_ = from_system(bytes);
      data_ = static_cast<std::byte*>(from_);
    } else {
      const memory_block lent = lend(*lender, bytes_);
      data_ = lent.data;
      room_ = lent.room;
      from_ = lender;
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
  constexpr ~aligned_block() {
    if (data_ == nullptr) return;
    if (room_ > 0) take_back(*static_cast<memory_account*>(from_), {data_, bytes_, room_});
    else if (bytes_ < least_large_bytes) ::operator delete(from_);
    else ::operator delete(from_, system_alignment(static_cast<std::size_t>(bytes_)));
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
};

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
