// This header decides which calls may run at the same time: one call of a function, and of the functions of one session
// either one that changes shared variables or any number of others.
#pragma once

#include <kroton/runtime/context/error.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace kroton::runtime {

/// Throws kt::error: another thread is calling the function.
[[noreturn]] void refuse_second_call();
/// Throws kt::error: the object (a function, a session) was moved to another object.
[[noreturn]] void refuse_moved(const char* what);
/// Assigns by moving. It does nothing if both are the same object, whose members, such as vectors, would be empty
/// afterwards.
template <class Moved>
Moved& replace_by_moving(Moved& old, Moved& by) noexcept {
  if (&old == &by) return old;
  std::destroy_at(&old);
  return *std::construct_at(&old, std::move(by));
}

/// While a turn lives, its thread is calling the function. A second call at the same time throws kt::error.
class function_turn {
 public:
  explicit function_turn(std::atomic<bool>& taken) : taken_(taken) {
    if (taken_.exchange(true, std::memory_order_acquire)) refuse_second_call();
  }
  ~function_turn() { taken_.store(false, std::memory_order_release); }
  function_turn(const function_turn&) = delete;
  function_turn& operator=(const function_turn&) = delete;

 private:
  std::atomic<bool>& taken_;
};

/// The lock of the shared variables of a session. Many calls that read them can hold it at the same time, or one call
/// that changes them. A call that waits to change them goes before calls that come later to read, so that functions
/// that are called all the time do not keep it waiting for ever.
class variables_lock {
 public:
  void lock() {
    const std::lock_guard gate(gate_);
    waiting_.store(true, std::memory_order_relaxed);
    lock_.lock();
    waiting_.store(false, std::memory_order_relaxed);
  }
  void unlock() { lock_.unlock(); }
  void lock_shared() {
    if (is_awaited()) const std::lock_guard behind_the_one_that_waits(gate_);
    lock_.lock_shared();
  }
  void unlock_shared() { lock_.unlock_shared(); }
  /// Whether a call waits to change variables.
  bool is_awaited() const { return waiting_.load(std::memory_order_relaxed); }

 private:
  std::shared_mutex lock_;
  std::mutex gate_;
  std::atomic<bool> waiting_{false};
};

/// The lock of a call on a session without shared variables: none.
struct no_turn {
  explicit no_turn(variables_lock&) {}
};

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/turns.ipp>
#endif
