// The memory of a context: how much is in use, how much may be, and blocks that count against it.
#pragma once

#include <kroton/runtime/aligned_block.hpp>
#include <kroton/runtime/error.hpp>
#include <kroton/runtime/memory_use.hpp>

#include <algorithm>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace kroton {

/// What takes memory, by name.
using named_bytes = std::pair<std::string, std::int64_t>;
/// The five largest, in order of size, for messages.
[[gnu::cold]] inline std::string text_of_largest(std::vector<named_bytes> all) {
  std::string text;
  for (int count = 0; count < 5; ++count) {
    named_bytes* largest = nullptr;  // the first of equals
    for (named_bytes& each : all)
      if (each.second > 0 && (largest == nullptr || each.second > largest->second)) largest = &each;
    if (largest == nullptr) break;
    text += message(count > 0 ? ", " : "", largest->first, " ", largest->second);
    largest->second = 0;
  }
  return text;
}
/// What a budget does not allow: what is `needed`, what others have `in_use`, the largest of `all`, and what helps.
[[gnu::cold]] inline memory_error over_budget(const std::string& needed, std::int64_t budget, std::int64_t in_use, std::vector<named_bytes> all, const std::string& advice) {
  return memory_error(message("kroton: ", needed, ", but of a budget of ", budget, " bytes ", in_use, " are in use and ", budget - in_use,
                              " free; the largest: ", text_of_largest(std::move(all)), "; raise the budget", advice));
}
/// The largest number up to `most` of which `fits` holds, as of all below it; -1 if not even of 0.
template <class Fits>
std::int64_t largest_fitting(std::int64_t most, const Fits& fits) {
  std::int64_t low = -1;
  while (low < most) {
    const std::int64_t middle = std::midpoint(most, low);  // rounded towards `most`
    if (fits(middle))
      low = middle;
    else
      most = middle - 1;
  }
  return low;
}

/// Where the memory of a context is from and how much of it is in use; several threads may use it.
class memory_account {
 public:
  /// `owner` keeps the resource; `alignment`: of each block.
  memory_account(std::int64_t budget, std::pmr::memory_resource& resource, std::shared_ptr<void> owner = nullptr, std::size_t alignment = buffer_alignment)
      : owner_(std::move(owner)), resource_(resource), alignment_(alignment) {
    use_.budget = budget;
  }

  memory_use now() const {
    const std::lock_guard lock(mutex_);
    return use_;
  }
  /// Whether `bytes` more would stay within the budget.
  bool has(std::int64_t bytes) const {
    const memory_use use = now();
    return bytes <= use.budget - use.in_use;
  }
  std::pmr::memory_resource& resource() const { return resource_; }

  /// Bytes that are not initialised, aligned. Throws memory_error if the budget does not allow them
  /// or the resource has none; what the resource throws of Kroton's errors, as of a device that failed, goes on to the caller.
  std::byte* allocate(std::int64_t bytes) {
    take(bytes);
    try {
      return static_cast<std::byte*>(resource_.allocate(static_cast<std::size_t>(bytes), alignment_));
    } catch (const error&) {
      give_back(bytes);
      throw;
    } catch (...) {
      give_back(bytes);
      const memory_use use = now();
      throw memory_error(message("kroton: ", bytes, " bytes needed, but the memory resource of the context, of which ", use.in_use,
                                 " bytes are in use, has none; release what is not needed"));
    }
  }
  void release(std::byte* block, std::int64_t bytes) noexcept {
    resource_.deallocate(block, static_cast<std::size_t>(bytes), alignment_);
    give_back(bytes);
  }

 private:
  std::shared_ptr<void> owner_;
  std::pmr::memory_resource& resource_;
  std::size_t alignment_;
  mutable std::mutex mutex_;
  memory_use use_;

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
};

/// Memory of a context.
class context_block {
 public:
  context_block() = default;
  /// Throws memory_error as `allocate` does.
  context_block(std::shared_ptr<memory_account> account, std::int64_t bytes) : account_(std::move(account)), bytes_(bytes) {
    if (bytes_ > 0) data_ = account_->allocate(bytes_);
  }
  context_block(context_block&& other) noexcept { swap(other); }
  context_block& operator=(context_block&& other) noexcept {
    context_block taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~context_block() {
    if (data_ != nullptr) account_->release(data_, bytes_);
  }

  std::byte* data() const { return data_; }
  std::int64_t size() const { return bytes_; }

 private:
  std::shared_ptr<memory_account> account_;
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;

  void swap(context_block& other) noexcept {
    std::swap(account_, other.account_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
};

}  // namespace kroton
