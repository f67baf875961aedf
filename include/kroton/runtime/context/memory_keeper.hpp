// This header lists the objects of this program that keep memory for later. When an allocation fails, all of them
// return the memory that they keep, and the allocation is tried again.
#pragma once

#include <cstdint>
#include <mutex>

namespace kroton::runtime {

/// An object that keeps memory. All such objects are in one list, which is never destroyed, because tensors may live
/// longer than objects that are destroyed at the end of the program.
class memory_keeper {
 public:
  memory_keeper(const memory_keeper&) = delete;
  memory_keeper& operator=(const memory_keeper&) = delete;
  /// Returns the kept memory to the system. The result is the number of bytes. Several threads may call it.
  virtual std::int64_t trim() noexcept = 0;
  /// Does the same for all objects in the list.
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
  /// Leaves the list. The destructor of a derived class calls it before any member is destroyed.
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
