// This header says how much memory of a context is in use.
#pragma once

#include <cstdint>
#include <limits>

namespace kroton::runtime {

/// Bytes that shared variables and temporaries of a context take, and copies of views with strides.
struct memory_use {
  std::int64_t in_use = 0;
  std::int64_t peak = 0;                                           ///< the most bytes in use so far
  std::int64_t budget = std::numeric_limits<std::int64_t>::max();  ///< the most bytes that may be in use
  std::int64_t kept = 0;  ///< kept for later buffers and outputs; `trim` returns them
  std::int64_t free = 0;  ///< free on the device, for all programs
};

}  // namespace kroton::runtime

namespace kroton {
using runtime::memory_use;
}  // namespace kroton
