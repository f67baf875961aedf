// This file computes the sizes of buffers and arenas.
#pragma once

#include <kroton/passes/memory.hpp>
#include <kroton/runtime/context/error.hpp>
#include <kroton/runtime/program/memory_sizes.hpp>

#include <array>
#include <utility>

namespace kroton::runtime {

KROTON_DEFINITION memory_sizes::memory_sizes(const plan_view& plan)
    : bytes(plan.buffers.size()), offsets(plan.buffers.size(), -1), arenas(plan.places), workspaces(arenas.size()) {}
KROTON_DEFINITION memory_sizes::memory_sizes(const plan_view& plan, const std::int64_t* symbols,
                                             const place_set& is_device)
    : memory_sizes(plan) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = tensor_bytes(std::array{extent_value(plan.buffers[i].elements, symbols)}, size_of(plan.buffers[i].type));
  for (std::size_t p = 0; p < arenas.size(); ++p)
    arenas[p] =
        plan_arena(plan.buffers.data(), static_cast<int>(bytes.size()), static_cast<place_id>(p), bytes.data(),
                   offsets.data(), is_device[p] ? static_cast<std::int64_t>(device_alignment) : arena_alignment);
  if (is_device.none()) return;
  const auto [place, step] = add_side_by_side(plan, buffer_kind::input, is_device);
  argument_place = place;
  argument_step = step;
  next_arguments = arenas[argument_place];
  arenas[argument_place] += argument_step;
  add_side_by_side(plan, buffer_kind::output, is_device);
}
KROTON_DEFINITION void memory_sizes::add_workspace(std::size_t place, std::int64_t size) {
  workspaces[place] = {bytes_on_device(arenas[place]), size};
  arenas[place] = workspaces[place].offset + bytes_on_device(size);
}
KROTON_DEFINITION bool memory_sizes::overlap(const plan_view& plan, int i, int j) const {
  while (plan.buffers[i].lies_in >= 0) i = plan.buffers[i].lies_in;
  while (plan.buffers[j].lies_in >= 0) j = plan.buffers[j].lies_in;
  const buffer &a = plan.buffers[i], &b = plan.buffers[j];
  if (i == j) return true;
  if (a.kind != b.kind) return false;
  if (a.kind != buffer_kind::temporary) return a.index == b.index;
  return a.place == b.place && offsets[i] < offsets[j] + bytes[j] && offsets[j] < offsets[i] + bytes[i];
}
KROTON_DEFINITION std::int64_t memory_sizes::outputs(const plan_view& plan, std::size_t place) const {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (plan.buffers[i].kind == buffer_kind::output && offsets[i] < 0 &&
        plan.buffers[i].place == static_cast<place_id>(place))
      total += bytes[i];
  return total;
}

/// Gives all arguments, or all outputs, on a device memory side by side, so that one copy moves them all. Returns their
/// place, and the bytes that they take there.
KROTON_DEFINITION std::pair<std::size_t, std::int64_t> memory_sizes::add_side_by_side(const plan_view& plan,
                                                                                      buffer_kind kind,
                                                                                      const place_set& is_device) {
  std::size_t place = 0;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const buffer& b = plan.buffers[i];
    if (b.kind != kind || b.is_placed || b.lies_in >= 0 || !is_device[static_cast<std::size_t>(b.place)]) continue;
    place = static_cast<std::size_t>(b.place);
    offsets[i] = arenas[place];
    arenas[place] += bytes_on_device(bytes[i]);
    total += bytes_on_device(bytes[i]);
  }
  return {place, total};
}

}  // namespace kroton::runtime
