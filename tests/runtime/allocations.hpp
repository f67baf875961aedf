// Allocations of the test program, which are counted and can be made to fail.
#pragma once

#include <atomic>
#include <cstddef>

inline std::atomic<long> allocations = 0;           // by any thread
inline std::atomic<std::size_t> aligned_bytes = 0;  // of large blocks
inline std::atomic<long> allocations_left = -1;     // after so many one throws std::bad_alloc; negative: none
