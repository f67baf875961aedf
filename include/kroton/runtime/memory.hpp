// The memory of a context: how much is in use, how much may be, and blocks that count against it.
#pragma once

#include <kroton/runtime/aligned_block.hpp>
#include <kroton/runtime/error.hpp>

#include <limits>
#include <memory>
#include <mutex>

namespace kroton {

/// Bytes that shared variables and temporaries of a context take.
struct memory_use {
  std::int64_t in_use = 0;
  std::int64_t peak = 0;                                            ///< at most so far
  std::int64_t budget = std::numeric_limits<std::int64_t>::max();  ///< at most ever
  std::int64_t free = 0;                                            ///< what the device has left for anybody
};

/// Counts the memory of a context; several threads may use it.
class memory_account {
 public:
  explicit memory_account(std::int64_t budget) { use_.budget = budget; }

  memory_use now() const {
    const std::lock_guard lock(mutex_);
    return use_;
  }
  /// Whether `bytes` more would stay within the budget.
  bool has(std::int64_t bytes) const {
    const memory_use use = now();
    return bytes <= use.budget - use.in_use;
  }
  void take(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > use_.budget - use_.in_use)
      throw memory_error(message("kroton: ", bytes, " bytes needed, but of a budget of ", use_.budget, " bytes ", use_.in_use,
                                 " are in use; raise the budget, or release what is not needed"));
    use_.in_use += bytes;
    if (use_.in_use > use_.peak) use_.peak = use_.in_use;
  }
  void give_back(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    use_.in_use -= bytes;
  }

 private:
  mutable std::mutex mutex_;
  memory_use use_;
};

/// Memory of a context.
class context_block {
 public:
  context_block() = default;
  /// Throws memory_error if the budget does not allow it.
  context_block(std::shared_ptr<memory_account> account, std::int64_t bytes) : account_(std::move(account)) {
    account_->take(bytes);
    bytes_ = bytes;
    try {
      block_ = aligned_block(static_cast<std::size_t>(bytes));
    } catch (...) {
      account_->give_back(bytes);
      throw;
    }
  }
  context_block(context_block&& other) noexcept { swap(other); }
  context_block& operator=(context_block&& other) noexcept {
    context_block taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~context_block() {
    if (account_ != nullptr) account_->give_back(bytes_);
  }

  std::byte* data() const { return block_.data(); }
  std::int64_t size() const { return bytes_; }

 private:
  std::shared_ptr<memory_account> account_;
  aligned_block block_;
  std::int64_t bytes_ = 0;

  void swap(context_block& other) noexcept {
    std::swap(account_, other.account_);
    std::swap(block_, other.block_);
    std::swap(bytes_, other.bytes_);
  }
};

}  // namespace kroton
