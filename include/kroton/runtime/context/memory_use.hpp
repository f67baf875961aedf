// This header says how much memory of a context is in use.
#pragma once

#include <cstdint>
#include <limits>

namespace kroton::runtime {

/// Bytes that shared variables and temporaries of a context take, and copies of views with strides.
struct memory_use {
  std::int64_t in_use = 0;
  std::int64_t peak = 0;                                           ///< at most so far
  std::int64_t budget = std::numeric_limits<std::int64_t>::max();  ///< at most ever
  std::int64_t kept = 0;  ///< in nobody's use, for later buffers and outputs; `trim` returns it
  std::int64_t free = 0;  ///< what the device has left for anybody
};

}  // namespace kroton::runtime

namespace kroton {
using runtime::memory_use;
}  // namespace kroton
