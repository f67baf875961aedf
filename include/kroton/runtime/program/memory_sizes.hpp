// This header computes how many bytes each buffer of a program has for the extents of a call, and where temporaries lie
// in the arenas of their places.
//
//     t0 (batch, 8) floats, batch = 32  ->  bytes 1024, offset 0; the arena of the host has 1024 bytes
#pragma once

#include <kroton/passes/program.hpp>
#include <kroton/runtime/context/aligned_block.hpp>
#include <kroton/arithmetic/indexed.hpp>

#include <bitset>
#include <utility>
#include <vector>

namespace kroton::runtime {

/// Some of the places of a program.
using place_set = std::bitset<128>;

/// Bytes that a buffer, or a part of a workspace, takes of an arena on a device. They are rounded up, so that the next
/// buffer is aligned too.
constexpr std::int64_t bytes_on_device(std::int64_t bytes) {
  constexpr auto alignment = static_cast<std::int64_t>(device_alignment);
  return (bytes + alignment - 1) / alignment * alignment;
}

struct memory_sizes {
  indexed_vector<std::int64_t> bytes, offsets;  ///< for each buffer; an offset of -1: the buffer lies in no arena
  indexed_vector<std::int64_t> arenas;          ///< for each place
  /// Memory that the steps at a place share, at the end of its arena.
  struct workspace {
    std::int64_t offset = 0, bytes = 0;
  };
  indexed_vector<workspace> workspaces;  ///< for each place
  /// Arguments on a device have memory twice, because those of one call arrive while the call before runs. These
  /// members are the offset of the second half, its distance from the first, and the place.
  std::int64_t next_arguments = 0, argument_step = 0;
  std::size_t argument_place = 0;

  explicit memory_sizes(const plan_view& plan);
  /// The sizes for these values of the symbols. `is_device`: the places whose memory is not that of the host, so that
  /// arguments and outputs lie in their arenas too. Throws memory_error for buffers that no memory can hold.
  memory_sizes(const plan_view& plan, const std::int64_t* symbols, const place_set& is_device = {});
  void add_workspace(std::size_t place, std::int64_t size);
  /// Whether two buffers have memory in common.
  bool overlap(const plan_view& plan, int i, int j) const;
  /// Bytes of the outputs at a place that lie in no arena.
  std::int64_t outputs(const plan_view& plan, std::size_t place) const;

 private:
  std::pair<std::size_t, std::int64_t> add_side_by_side(const plan_view& plan, buffer_kind kind,
                                                        const place_set& is_device);
};

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/program/memory_sizes.ipp>
#endif
