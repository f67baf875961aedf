// How large the buffers of a program are for given extents, and where they lie in the arenas of its places.
#pragma once

#include <kroton/passes/memory.hpp>
#include <kroton/runtime/error.hpp>

#include <array>
#include <tuple>
#include <vector>

namespace kroton {

/// Bytes that a part of a workspace takes, so that the next one is aligned as libraries advise.
constexpr std::int64_t bytes_in_workspace(std::int64_t bytes) { return (bytes + 255) / 256 * 256; }

struct memory_sizes {
  std::vector<std::int64_t> bytes, offsets;  ///< of the buffers; -1: it lies in no arena
  std::vector<std::int64_t> arenas;          ///< of the places
  /// Memory that the steps at a place share, at the end of its arena.
  struct workspace {
    std::int64_t offset = 0, bytes = 0;
  };
  std::vector<workspace> workspaces;         ///< of the places
  /// Arguments on a device have memory twice, because those of one call arrive while the call before runs: where the other half begins, how far it is
  /// from the first, and at which place.
  std::int64_t next_arguments = 0, argument_step = 0;
  std::size_t argument_place = 0;

  explicit memory_sizes(const plan_view& plan)
      : bytes(plan.buffers.size()), offsets(plan.buffers.size(), -1), arenas(static_cast<std::size_t>(plan.places)),
        workspaces(arenas.size()) {}
  /// For these values of the symbols. `is_device`: the places whose memory is not that of the host, so that arguments and outputs
  /// lie in their arenas too. Throws memory_error for buffers that no memory can hold.
  memory_sizes(const plan_view& plan, const std::int64_t* symbols, const std::vector<bool>& is_device = {}) : memory_sizes(plan) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = tensor_bytes(std::array{extent_value(plan.buffers[i].elements, symbols)}, static_cast<std::size_t>(size_of(plan.buffers[i].type)));
    for (std::size_t p = 0; p < arenas.size(); ++p)
      arenas[p] = plan_arena(plan.buffers.data(), static_cast<int>(bytes.size()), static_cast<place_id>(p), bytes.data(), offsets.data());
    if (is_device.empty()) return;
    std::tie(argument_place, argument_step) = add_side_by_side(plan, buffer_kind::input, is_device);
    next_arguments = arenas[argument_place];
    arenas[argument_place] += argument_step;
    add_side_by_side(plan, buffer_kind::output, is_device);
  }
  void add_workspace(std::size_t place, std::int64_t size) {
    workspaces[place] = {bytes_in_workspace(arenas[place]), size};
    arenas[place] = workspaces[place].offset + bytes_in_arena(size);
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
  /// Bytes of the outputs at a place that lie in no arena.
  std::int64_t outputs(const plan_view& plan, std::size_t place) const {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (plan.buffers[i].kind == buffer_kind::output && offsets[i] < 0 && plan.buffers[i].place == static_cast<place_id>(place)) total += bytes[i];
    return total;
  }

 private:
  /// Gives the arguments or outputs on a device memory, so that one copy moves them all. Returns their place, and how many bytes they take there.
  std::pair<std::size_t, std::int64_t> add_side_by_side(const plan_view& plan, buffer_kind kind, const std::vector<bool>& is_device) {
    std::size_t place = 0;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const buffer& b = plan.buffers[i];
      if (b.kind != kind || b.lies_in >= 0 || !is_device[static_cast<std::size_t>(b.place)]) continue;
      place = static_cast<std::size_t>(b.place);
      offsets[i] = arenas[place];
      arenas[place] += bytes_in_arena(bytes[i]);
      all += bytes_in_arena(bytes[i]);
    }
    return {place, all};
  }
};

}  // namespace kroton
