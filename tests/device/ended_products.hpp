// What products do on simulated devices beside multiplying.
#pragma once

#include "device.hpp"

namespace test {

/// Products with a bias or a function, with the gradient of a function, or with the sums of their second factor,
/// that a simulated device has computed.
struct ended_products {
  int forward = 0, gradient = 0, sums = 0;
  bool operator==(const ended_products&) const = default;
  ended_products operator-(const ended_products& other) const {
    return {forward - other.forward, gradient - other.gradient, sums - other.sums};
  }
};
inline ended_products ended_of([[maybe_unused]] const kt::context& where, [[maybe_unused]] ended_products otherwise) {
#ifndef __CUDACC__
  const auto& stream = static_cast<simulated::stream&>(*where.stream());
  return {stream.epilogues, stream.gradients, stream.sums};
#else
  return otherwise;
#endif
}
/// Whether products of a simulated device can do anything but multiply.
inline void let_products_end([[maybe_unused]] const kt::context& where, [[maybe_unused]] bool can) {
#ifndef __CUDACC__
  static_cast<simulated::stream&>(*where.stream()).supports_epilogues = can;
#endif
}

}  // namespace test
