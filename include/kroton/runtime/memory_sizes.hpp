// How large the buffers of a program are for given extents, and where they lie in the arenas of its places.
#pragma once

#include <kroton/passes/memory.hpp>

#include <vector>

namespace kroton {

struct memory_sizes {
  std::vector<std::int64_t> bytes, offsets;  ///< of the buffers; -1: it lies in no arena
  std::vector<std::int64_t> arenas;          ///< of the places

  explicit memory_sizes(const plan_view& plan)
      : bytes(plan.buffers.size()), offsets(plan.buffers.size(), -1), arenas(static_cast<std::size_t>(plan.places)) {}
  /// For these values of the symbols.
  memory_sizes(const plan_view& plan, const std::int64_t* symbols) : memory_sizes(plan) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = extent_value(plan.buffers[i].elements, symbols) * size_of(plan.buffers[i].type);
    for (std::size_t p = 0; p < arenas.size(); ++p)
      arenas[p] = plan_arena(plan.buffers.data(), static_cast<int>(bytes.size()), static_cast<place_id>(p), bytes.data(), offsets.data());
  }
  /// Whether two buffers have memory in common.
  bool overlap(const plan_view& plan, std::size_t i, std::size_t j) const {
    while (plan.buffers[i].lies_in >= 0) i = static_cast<std::size_t>(plan.buffers[i].lies_in);
    while (plan.buffers[j].lies_in >= 0) j = static_cast<std::size_t>(plan.buffers[j].lies_in);
    const buffer &a = plan.buffers[i], &b = plan.buffers[j];
    if (i == j) return true;
    if (a.kind != b.kind) return false;
    if (a.kind != buffer_kind::temporary) return a.index == b.index;
    return a.place == b.place && offsets[i] < offsets[j] + bytes[j] && offsets[j] < offsets[i] + bytes[i];
  }
  /// Bytes of the outputs at a place.
  std::int64_t outputs(const plan_view& plan, std::size_t place) const {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (plan.buffers[i].kind == buffer_kind::output && plan.buffers[i].place == static_cast<place_id>(place)) total += bytes[i];
    return total;
  }
};

}  // namespace kroton
