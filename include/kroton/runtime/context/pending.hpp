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
 public:
  pending_share() = default;
  explicit pending_share(std::shared_ptr<pending_value> of) : of_(std::move(of)) {}
  pending_share(pending_share&&) noexcept = default;
  pending_share& operator=(pending_share&& other) noexcept {
    if (of_ != nullptr) abandon(*of_);
    of_ = std::move(other.of_);
    return *this;
  }
  ~pending_share() {
    if (of_ != nullptr) abandon(*of_);
  }
  void settle() const {
    if (of_ != nullptr) runtime::settle(*of_);
  }
  /// Moves the scalar that the share waits for: it lies at `to` from now on.
  template <class T>
  void move(const T& from, T& to) const {
    if (of_ != nullptr)
      runtime::move(*of_, reinterpret_cast<const std::byte*>(&from), reinterpret_cast<std::byte*>(&to), sizeof(T));
  }

 private:
  std::shared_ptr<pending_value> of_;
};

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/context/pending.ipp>
#endif
