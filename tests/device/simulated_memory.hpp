// Memory of simulated devices, which the host cannot touch, and of the host that they copy from and to.
#pragma once

#include <kroton/kroton.hpp>
#include <kroton/runtime/context/error.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>

#include <sys/mman.h>

namespace simulated {

namespace kt = kroton;

/// Held while anything is simulated.
inline std::recursive_mutex simulation;

/// Whether this thread captures a graph; then it may do nothing that waits or takes memory.
inline thread_local int captures = 0;
/// What it did all the same where nothing can be thrown.
inline thread_local const char* broken_rule = nullptr;
inline void forbid_in_capture(const char* what) {
  if (captures > 0)
    throw kt::device_error(kt::runtime::message("kroton: simulated: ", what, " while a graph is captured"));
}

/// Of devices and of staging memory: allocations before one fails; -1: none does.
inline std::atomic<long> allocations_left = -1;
inline void count_allocation() {
  forbid_in_capture("memory is taken");
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
}
/// Memory of the host that devices copy from and to.
class staging_memory final : public std::pmr::memory_resource {
 public:
  bool has(const std::byte* start, std::int64_t bytes) const {
    const std::lock_guard lock(simulation);
    const auto next = blocks_.upper_bound(start);
    if (next == blocks_.begin()) return false;
    const auto& [block, size] = *std::prev(next);
    return start + bytes <= block + size;
  }

 private:
  std::map<const std::byte*, std::size_t> blocks_;
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    const std::lock_guard lock(simulation);
    count_allocation();
    void* const start = std::pmr::new_delete_resource()->allocate(bytes, alignment);
    blocks_[static_cast<std::byte*>(start)] = bytes;
    return start;
  }
  void do_deallocate(void* start, std::size_t bytes, std::size_t alignment) override {
    const std::lock_guard lock(simulation);
    if (captures > 0) broken_rule = "memory of the host is released";
    blocks_.erase(static_cast<std::byte*>(start));
    std::pmr::new_delete_resource()->deallocate(start, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};
inline staging_memory staging;

/// Memory of devices, which nobody can touch but streams at work. It is aligned as CUDA promises, and not better.
/// Released memory is gone when the work that its stream has then is done.
class device_memory final : public std::pmr::memory_resource {
 public:
  inline static std::int64_t in_use = 0;
  /// Does something after the work that a stream has now.
  using later = std::function<void(std::function<void()>)>;

  explicit device_memory(later when = [](const std::function<void()>& what) { what(); }) : later_(std::move(when)) {}
  /// Whether some memory of a device is at `start`.
  static bool has(const std::byte* start) {
    const std::lock_guard lock(simulation);
    const auto next = blocks.upper_bound(const_cast<std::byte*>(start));
    return next != blocks.begin() && start < std::prev(next)->first + pages(std::prev(next)->second);
  }
  /// While one lives, the memory can be used.
  struct access {
    access() { change(+1); }
    access(const access&) = delete;
    access& operator=(const access&) = delete;
    ~access() { change(-1); }

   private:
    const std::lock_guard<std::recursive_mutex> lock_{simulation};
  };

 private:
  later later_;
  inline static std::map<std::byte*, std::size_t> blocks;
  inline static int users = 0;
  static std::size_t pages(std::size_t bytes) { return (bytes + kt::runtime::device_alignment + 4095) / 4096 * 4096; }
  static int protection() { return users > 0 ? PROT_READ | PROT_WRITE : PROT_NONE; }
  static void change(int by) {
    const int before = users;
    users += by;
    if ((before > 0) == (users > 0)) return;
    for (const auto& [start, bytes] : blocks) mprotect(start, pages(bytes), protection());
  }
  void* do_allocate(std::size_t bytes, std::size_t) override {
    const std::lock_guard lock(simulation);
    count_allocation();
    void* const start = mmap(nullptr, pages(bytes), protection(), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) throw std::bad_alloc();
    blocks[static_cast<std::byte*>(start)] = bytes;
    in_use += static_cast<std::int64_t>(bytes);
    return static_cast<std::byte*>(start) + kt::runtime::device_alignment;
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t) override {
    std::byte* const start = static_cast<std::byte*>(block) - kt::runtime::device_alignment;
    {
      const std::lock_guard lock(simulation);
      in_use -= static_cast<std::int64_t>(bytes);
    }
    later_([start, bytes] {  // not under the lock: who holds a stream waits for the lock
      const std::lock_guard lock(simulation);
      blocks.erase(start);
      munmap(start, pages(bytes));
    });
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace simulated
