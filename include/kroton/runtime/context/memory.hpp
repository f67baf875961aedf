// This header has the memory account of a context, which counts the bytes in use and knows the budget, and blocks that
// count there.
#pragma once

#include <kroton/runtime/context/error.hpp>
#include <kroton/runtime/context/kept_blocks.hpp>
#include <kroton/runtime/context/memory_keeper.hpp>
#include <kroton/runtime/context/memory_use.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace kroton::runtime {

/// The name and the bytes of a buffer or a workspace.
using named_bytes = std::pair<std::string, std::int64_t>;
/// The text of the five largest entries, in order of size, for messages.
[[gnu::cold]] inline std::string text_of_largest(std::vector<named_bytes> entries) {
  std::string text;
  for (int count = 0; count < 5; ++count) {
    named_bytes* largest = nullptr;  // the first of equal entries
    for (named_bytes& each : entries)
      if (each.second > 0 && (largest == nullptr || each.second > largest->second)) largest = &each;
    if (largest == nullptr) break;
    text += message(count > 0 ? ", " : "", largest->first, " ", largest->second);
    largest->second = 0;
  }
  return text;
}
/// The message for a budget that is too small: the bytes `needed`, the bytes `in_use` elsewhere, the largest of
/// `entries`, and `advice`.
[[gnu::cold]] inline memory_error over_budget(const std::string& needed, std::int64_t budget, std::int64_t in_use,
                                              std::vector<named_bytes> entries, const std::string& advice) {
  return memory_error(message(
      "kroton: ", needed, ", but of a budget of ", budget, " bytes ", in_use, " are in use and ", budget - in_use,
      " free; the largest: ", text_of_largest(std::move(entries)), "; raise the budget", advice));
}
/// The largest number up to `most` for which `fits` holds, if it holds for all numbers below such a number, too; -1 if
/// it does not hold for 0.
template <class Fits>
std::int64_t largest_fitting(std::int64_t most, const Fits& fits) {
  std::int64_t low = -1;
  while (low < most) {
    const std::int64_t middle = std::midpoint(most, low);  // rounded towards `most`
    if (fits(middle)) low = middle;
    else most = middle - 1;
  }
  return low;
}

/// The source of the memory of a context, and the number of bytes in use; several threads may use it.
///
/// Large blocks of the host are not returned to the system but kept, because a new page costs several times as much
/// time as the computation of a kernel in it. Memory in use and kept memory together stay within the budget and below
/// twice the most that was in use. A block is used again for buffers of at least half its size, so that a program that
/// alternates between sizes finds its blocks. With a budget, only a buffer of the same size uses a block again. A
/// memory resource of the user gets released memory back at once.
class memory_account final : private memory_keeper, public std::enable_shared_from_this<memory_account> {
 public:
  /// `owner` keeps the resource alive; `alignment`: the alignment of each block.
  memory_account(std::int64_t budget, std::pmr::memory_resource& resource, std::shared_ptr<void> owner = nullptr,
                 std::size_t alignment = buffer_alignment)
      : owner_(std::move(owner)), resource_(resource), alignment_(alignment),
        keeps_(keeps_blocks && &resource == std::pmr::new_delete_resource()) {
    use_.budget = budget;
    if (keeps_) join();
  }
  ~memory_account() {
    leave();
    trim();
  }

  memory_use now() const {
    const std::lock_guard lock(mutex_);
    memory_use use = use_;
    use.kept = kept_.bytes();
    return use;
  }
  /// Whether `bytes` more would stay within the budget.
  bool has(std::int64_t bytes) const {
    const memory_use use = now();
    return bytes <= use.budget - use.in_use;
  }
  std::pmr::memory_resource& resource() const { return resource_; }
  /// Whether the account keeps and lends blocks.
  bool keeps() const { return keeps_; }

  /// Takes an aligned block of bytes that are not initialised. Throws memory_error if the budget does not allow them or
  /// the resource has none. An error of Kroton that the resource throws, as for a device that failed, goes on to the
  /// caller.
  memory_block allocate(std::int64_t bytes) {
    try {
      return get(bytes, true);
    } catch (const error&) {
      throw;
    } catch (...) {
      throw memory_error(message("kroton: ", bytes, " bytes needed, but the memory resource of the context, of which ",
                                 now().in_use, " bytes are in use, has none; release what is not needed"));
    }
  }
  void release(const memory_block& block) noexcept { (void)put(block, true); }
  /// The same for tensors. Their memory does not count as in use, and lent blocks keep the account alive until all have
  /// been returned. Throws std::bad_alloc.
  memory_block lend(std::int64_t bytes) { return get(bytes, false); }
  void take_back(const memory_block& block) noexcept {
    const std::shared_ptr<memory_account> last = put(block, false);  // its end may be the end of the account
  }
  /// Counts bytes as in use that were taken elsewhere. Throws memory_error if the budget does not allow them.
  void charge(std::int64_t bytes) {
    for (memory_block old;; free(old)) {
      const std::lock_guard lock(mutex_);
      require(bytes);
      if (bytes > use_.budget - use_.in_use - kept_.bytes() && (old = kept_.take_oldest()).data != nullptr) continue;
      use_.in_use += bytes;
      use_.peak = std::max(use_.peak, use_.in_use);
      return;
    }
  }
  void discharge(std::int64_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    use_.in_use -= bytes;
  }

  std::int64_t trim() noexcept override {
    std::int64_t bytes = 0;
    for (memory_block old; (old = oldest()).data != nullptr; bytes += old.room) free(old);
    return bytes;
  }
  /// Notes that the context of the account has ended: from now on, no blocks are kept.
  void close() noexcept {
    {
      const std::lock_guard lock(mutex_);
      is_open_ = false;
    }
    trim();
  }

 private:
  std::shared_ptr<void> owner_;
  std::pmr::memory_resource& resource_;
  std::size_t alignment_;
  const bool keeps_;
  mutable std::mutex mutex_;
  memory_use use_;
  bool is_open_ = true;
  std::int64_t lent_ = 0;                     // the number of lent blocks
  std::shared_ptr<memory_account> borrowed_;  // this account, while blocks are lent
  kept_blocks kept_;
  // of the large blocks in use: the requested bytes, now and at the peak, and the bytes that were taken
  std::int64_t asked_ = 0, most_asked_ = 0, taken_ = 0;

  bool is_large(std::int64_t bytes) const { return keeps_ && bytes >= least_large_bytes; }
  memory_block get(std::int64_t bytes, bool is_counted) {
    memory_block block = kept_or_counted(bytes, is_counted);
    if (block.data != nullptr) {
      perturb(block);
      return block;
    }
    try {
      block.data = from_resource(bytes);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      (void)discount(block, is_counted);  // the caller keeps the account alive
      throw;
    }
    if (is_large(bytes)) page_advice::begin(block);
    return block;
  }
  /// Returns a kept block. If no kept block fits, it returns a block without an address, and the caller takes `bytes`
  /// from the resource. The bytes are counted in both cases.
  memory_block kept_or_counted(std::int64_t bytes, bool is_counted) {
    for (;;) {
      memory_block old;
      {
        const std::lock_guard lock(mutex_);
        if (is_counted) require(bytes);
        const bool has_budget = use_.budget < std::numeric_limits<std::int64_t>::max();
        memory_block block;
        if (is_large(bytes)) block = kept_.take(bytes, has_budget ? bytes : 2 * bytes);
        if (block.data == nullptr) {
          block.room = bytes;
          if (is_in_the_way(bytes)) old = kept_.take_oldest();
        }
        if (old.data == nullptr) {
          block.bytes = bytes;
          count(block, is_counted);
          return block;
        }
      }
      free(old);
    }
  }
  /// Whether the kept blocks and `bytes` more would be too much memory.
  bool is_in_the_way(std::int64_t bytes) const {
    if (kept_.bytes() == 0) return false;
    const bool is_over_budget = bytes > use_.budget - use_.in_use - kept_.bytes();
    return is_over_budget ||
           (is_large(bytes) && kept_.bytes() + taken_ + bytes > 2 * std::max(most_asked_, asked_ + bytes));
  }
  std::byte* from_resource(std::int64_t bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    try {
      return static_cast<std::byte*>(resource_.allocate(size, alignment_));
    } catch (const std::bad_alloc&) {
      if (trim_all() == 0) throw;
    }
    return static_cast<std::byte*>(resource_.allocate(size, alignment_));
  }
  /// Keeps a block or returns it to the resource. Returns the pointer that kept the account alive, if this was the last
  /// lent block.
  std::shared_ptr<memory_account> put(const memory_block& block, bool is_counted) noexcept {
    const bool is_kept = is_large(block.bytes);
    std::shared_ptr<memory_account> last;
    for (memory_block old;; free(old)) {
      const std::lock_guard lock(mutex_);
      if (old.data == nullptr) last = discount(block, is_counted);
      if (!is_kept || !is_open_) break;
      if (block.room <= use_.budget - use_.in_use - kept_.bytes()) {
        kept_.add(block);
        return last;
      }
      old = kept_.take_oldest();
      if (old.data == nullptr) break;
    }
    free(block);
    return last;
  }
  memory_block oldest() noexcept {
    const std::lock_guard lock(mutex_);
    return kept_.take_oldest();
  }
  /// Returns a block to the resource.
  void free(const memory_block& block) noexcept {
    if (is_large(block.bytes)) page_advice::end(block);
    resource_.deallocate(block.data, static_cast<std::size_t>(block.room), alignment_);
  }

  void require(std::int64_t bytes) const {
    if (bytes > use_.budget - use_.in_use)
      throw memory_error(message("kroton: ", bytes, " bytes needed, but of a budget of ", use_.budget, " bytes ",
                                 use_.in_use, " are in use; raise the budget, or release what is not needed"));
  }
  void count(const memory_block& block, bool is_counted) {
    if (is_counted) use_.in_use += block.bytes;
    else if (++lent_ == 1) borrowed_ = shared_from_this();
    if (use_.in_use > use_.peak) use_.peak = use_.in_use;
    if (!is_large(block.bytes)) return;
    asked_ += block.bytes;
    taken_ += block.room;
    if (asked_ > most_asked_) most_asked_ = asked_;
  }
  std::shared_ptr<memory_account> discount(const memory_block& block, bool is_counted) {
    if (is_large(block.bytes)) {
      asked_ -= block.bytes;
      taken_ -= block.room;
    }
    if (is_counted) use_.in_use -= block.bytes;
    else if (--lent_ == 0) return std::move(borrowed_);
    return nullptr;
  }
};

/// A block of memory of a context, which counts as in use.
class context_block {
 public:
  context_block() = default;
  /// Throws memory_error as `allocate` does.
  context_block(std::shared_ptr<memory_account> account, std::int64_t bytes) : account_(std::move(account)) {
    if (bytes > 0) block_ = account_->allocate(bytes);
  }
  context_block(context_block&& other) noexcept { swap(other); }
  context_block& operator=(context_block&& other) noexcept {
    context_block taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~context_block() {
    if (block_.data != nullptr) account_->release(block_);
  }

  std::byte* data() const { return block_.data; }
  std::int64_t size() const { return block_.bytes; }

 private:
  std::shared_ptr<memory_account> account_;
  memory_block block_;

  void swap(context_block& other) noexcept {
    std::swap(account_, other.account_);
    std::swap(block_, other.block_);
  }
};

}  // namespace kroton::runtime
