// This header has pending values: outputs that a device still computes. When an event has come, their bytes are in
// staging memory, from where they are copied to the output.
#pragma once

#include <kroton/runtime/context/driver.hpp>
#include <kroton/runtime/context/pending.hpp>

#include <cstring>
#include <exception>
#include <mutex>
#include <utility>

namespace kroton::runtime {

/// An output that a device still computes. The function that was called and the tensor that it returned share it.
class pending_value {
 public:
  void begin(device_event& done, const std::byte* from, std::byte* to, std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    done_ = &done;
    from_ = from;
    to_ = to;
    bytes_ = bytes;
    failure_ = nullptr;
  }
  /// Waits for the device and copies the bytes to the output, unless that has been done. Throws device_error, each
  /// time, if the device failed.
  void settle() {
    const std::lock_guard lock(mutex_);
    if (done_ != nullptr) wait();
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }
  /// Does the same as `settle`, but throws nothing: only readers get a failure.
  void finish() noexcept {
    const std::lock_guard lock(mutex_);
    if (done_ != nullptr) wait();
  }
  /// Gives up the output, because no code will read it.
  void abandon() {
    const std::lock_guard lock(mutex_);
    done_ = nullptr;
  }
  /// Moves the output from `from` to `to`, with the bytes that have arrived.
  void move(const std::byte* from, std::byte* to, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    std::memcpy(to, from, bytes);
    to_ = to;
  }

 private:
  std::mutex mutex_;
  device_event* done_ = nullptr;  // null: the bytes have arrived, or were given up
  const std::byte* from_ = nullptr;
  std::byte* to_ = nullptr;
  std::int64_t bytes_ = 0;
  std::exception_ptr failure_;

  void wait() noexcept {
    try {
      std::exchange(done_, nullptr)->synchronize();
      if (bytes_ > 0) std::memcpy(to_, from_, static_cast<std::size_t>(bytes_));
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
};

}  // namespace kroton::runtime
