// This header lets a tensor share in an output that a device still computes: the first read of the tensor waits for
// the device.
#pragma once

#include <kroton/config.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace kroton::runtime {

class pending_value;
/// These functions call the members of pending_value with the same names, for headers that do not include it.
void settle(pending_value& value);
void abandon(pending_value& value) noexcept;
void move(pending_value& value, const std::byte* from, std::byte* to, std::size_t bytes);

/// The pending value that a tensor waits for, if any.
class pending_share {
  using value = std::shared_ptr<pending_value>;

 public:
  constexpr pending_share() = default;
  explicit pending_share(value of) : of_(of == nullptr ? nullptr : new value(std::move(of))) {}
  constexpr pending_share(pending_share&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  pending_share& operator=(pending_share&& other) noexcept {
    drop();
    of_ = std::exchange(other.of_, nullptr);
    return *this;
  }
  constexpr ~pending_share() { drop(); }
  /// Waits no longer: what the device computes is not wanted here.
  constexpr void drop() {
    if (of_ != nullptr) [[unlikely]]
      drop_value();
  }
  bool is_empty() const { return of_ == nullptr; }
  constexpr void settle() const {
    if (of_ != nullptr) [[unlikely]]
      runtime::settle(**of_);
  }
  /// Moves the scalar that the share waits for: it lies at `to` from now on.
  template <class T>
  constexpr void move(const T& from, T& to) const {
    if (of_ != nullptr) [[unlikely]]
      runtime::move(**of_, reinterpret_cast<const std::byte*>(&from), reinterpret_cast<std::byte*>(&to), sizeof(T));
  }

 private:
  value* of_ = nullptr;  // a pointer, so that a tensor without one is cheap to move, and may be a constant

  void drop_value() {
    abandon(**of_);
    delete std::exchange(of_, nullptr);
  }
};

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/context/pending.ipp>
#endif
