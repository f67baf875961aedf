// This header plans the arenas of a function, one for each place. Temporaries that are never alive together share
// bytes.
//
//     t0 of 64 bytes in steps 0 to 1, t1 of 64 bytes in 1 to 2, t2 of 64 bytes in 2 to 3
//       ->  offsets 0, 64, 0; the arena has 128 bytes
#pragma once

#include <kroton/passes/program.hpp>

namespace kroton::passes {

inline constexpr std::int64_t arena_alignment = 64;  // on the host
/// The bytes that a buffer takes of an arena in which buffers lie at multiples of `alignment`.
constexpr std::int64_t bytes_in_arena(std::int64_t bytes, std::int64_t alignment = arena_alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Offsets of the temporaries at `place` with memory of their own among `count` buffers of `bytes` each, -1 for others
/// at this place, and the size of the arena. Largest first, each at the lowest offset that no buffer alive at the same
/// time covers.
constexpr std::int64_t plan_arena(const buffer* buffers, int count, place_id place, const std::int64_t* bytes,
                                  std::int64_t* offsets, std::int64_t alignment = arena_alignment) {
  array_list<int> order;
  for (int i = 0; i < count; ++i) {
    if (buffers[i].place != place) continue;
    offsets[i] = -1;
    if (buffers[i].kind != buffer_kind::temporary || buffers[i].lies_in >= 0 || bytes[i] == 0) continue;
    int at = order.size();
    order.push_back(i);
    for (; at > 0 && bytes[order[at - 1]] < bytes[i]; --at) order[at] = order[at - 1];
    order[at] = i;
  }
  std::int64_t total = 0;
  for (int k = 0; k < order.size(); ++k) {
    const int i = order[k];
    const std::int64_t size = bytes_in_arena(bytes[i], alignment);
    std::int64_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (int l = 0; l < k; ++l) {
        const int j = order[l];
        const std::int64_t other = bytes_in_arena(bytes[j], alignment);
        const bool together = buffers[i].first <= buffers[j].last && buffers[j].first <= buffers[i].last;
        if (together && offset < offsets[j] + other && offsets[j] < offset + size) {
          offset = offsets[j] + other;
          moved = true;
        }
      }
    }
    offsets[i] = offset;
    if (offset + size > total) total = offset + size;
  }
  return total;
}

}  // namespace kroton::passes
