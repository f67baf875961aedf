// This header lists the objects of this program that keep memory for later. When an allocation fails, all of them
// return what they keep, and it is tried again.
#pragma once

#include <cstdint>
#include <mutex>

namespace kroton::runtime {

/// One that keeps memory. All of them are in one list, which is never destroyed, because tensors may outlive what is.
class memory_keeper {
 public:
  memory_keeper(const memory_keeper&) = delete;
  memory_keeper& operator=(const memory_keeper&) = delete;
  /// Returns to the system what is kept; how many bytes that is. Several threads may call it.
  virtual std::int64_t trim() noexcept = 0;
  /// The same for all that there are.
  [[gnu::cold]] static std::int64_t trim_all() noexcept {
    list& keepers = of_program();
    const std::lock_guard lock(keepers.mutex);
    std::int64_t bytes = 0;
    for (memory_keeper* each = keepers.first; each != nullptr; each = each->next_) bytes += each->trim();
    return bytes;
  }

 protected:
  memory_keeper() = default;
  ~memory_keeper() = default;
  void join() {
    list& keepers = of_program();
    const std::lock_guard lock(keepers.mutex);
    next_ = keepers.first;
    if (next_ != nullptr) next_->previous_ = this;
    keepers.first = this;
    is_in_list_ = true;
  }
  /// Before anything of it is destroyed.
  void leave() noexcept {
    if (!is_in_list_) return;
    list& keepers = of_program();
    const std::lock_guard lock(keepers.mutex);
    (previous_ != nullptr ? previous_->next_ : keepers.first) = next_;
    if (next_ != nullptr) next_->previous_ = previous_;
    is_in_list_ = false;
  }

 private:
  struct list {
    std::mutex mutex;
    memory_keeper* first = nullptr;
  };
  static list& of_program() {
    static list& every = *new list;
    return every;
  }
  memory_keeper *next_ = nullptr, *previous_ = nullptr;
  bool is_in_list_ = false;
};

}  // namespace kroton::runtime
