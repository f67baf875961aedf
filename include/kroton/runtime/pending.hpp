// Outputs that a device still computes: whoever reads one first waits for it.
#pragma once

#include <kroton/runtime/device/driver.hpp>

#include <cstring>
#include <exception>
#include <mutex>
#include <utility>

namespace kroton {

/// Bytes that will be somewhere when an event has come, and belong elsewhere. The function that was called and the tensor that it
/// returned share one.
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
  /// Waits, and moves them to where they belong, unless that has been done. Throws device_error, each time, if the device failed.
  void settle() {
    const std::lock_guard lock(mutex_);
    if (done_ != nullptr) wait();
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }
  /// As `settle`, but a failure is only told to those who read.
  void finish() noexcept {
    const std::lock_guard lock(mutex_);
    if (done_ != nullptr) wait();
  }
  /// Nobody will read them.
  void abandon() {
    const std::lock_guard lock(mutex_);
    done_ = nullptr;
  }
  /// They belong to `to` now.
  template <class T>
  void move(const T& from, T& to) {
    const std::lock_guard lock(mutex_);
    to = from;
    to_ = reinterpret_cast<std::byte*>(&to);
  }

 private:
  std::mutex mutex_;
  device_event* done_ = nullptr;  // none: they are there
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

/// The share of a tensor in what it waits for, if it does.
class pending_share {
 public:
  pending_share() = default;
  explicit pending_share(std::shared_ptr<pending_value> of) : of_(std::move(of)) {}
  pending_share(pending_share&&) noexcept = default;
  pending_share& operator=(pending_share&& other) noexcept {
    if (of_ != nullptr) of_->abandon();
    of_ = std::move(other.of_);
    return *this;
  }
  ~pending_share() {
    if (of_ != nullptr) of_->abandon();
  }
  void settle() const {
    if (of_ != nullptr) of_->settle();
  }
  template <class T>
  void move(const T& from, T& to) const {
    if (of_ != nullptr) of_->move(from, to);
  }

 private:
  std::shared_ptr<pending_value> of_;
};

}  // namespace kroton
