// This header describes a block of memory: its address, the bytes that were requested, and the bytes that it has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kroton::runtime {

/// Alignment of every buffer on the host, in bytes: a cache line.
inline constexpr std::size_t buffer_alignment = 64;
/// Alignment of every buffer on a device, in bytes: that of CUDA's allocations, which cuBLASLt assumes by default.
inline constexpr std::size_t device_alignment = 256;

/// A block of at least this many bytes is large: contexts keep it for later. The allocator of the program has caches
/// for smaller blocks.
inline constexpr std::int64_t least_large_bytes = std::int64_t{1} << 12;

/// The pages that Linux gives on request to large blocks, in bytes.
inline constexpr std::size_t huge_page = std::size_t{1} << 21;

struct memory_block {
  std::byte* data = nullptr;
  std::int64_t bytes = 0;  ///< requested
  std::int64_t room = 0;   ///< taken from the system for its first user; a later user may request fewer bytes
};

}  // namespace kroton::runtime
