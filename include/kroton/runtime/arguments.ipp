// This file packs the elements of views with gaps, and refuses one tensor for two outputs.
#pragma once

#include <kroton/runtime/arguments.hpp>

#include <kroton/runtime/context/context.hpp>

#include <algorithm>
#include <cstring>

namespace kroton::runtime {

/// Copies elements of `Size` bytes from all positions along the axes from `axis` on. Returns the address after the last
/// copy.
template <std::size_t Size>
std::byte* pack_elements(const std::byte* from, list_view<std::int64_t> extents, list_view<std::int64_t> strides,
                         std::size_t axis, std::byte* to) {
  const std::int64_t step = strides[axis] * static_cast<std::int64_t>(Size);
  for (std::int64_t i = 0; i < extents[axis]; ++i) {
    const std::byte* const at = from + i * step;
    if (axis + 1 < extents.size()) to = pack_elements<Size>(at, extents, strides, axis + 1, to);
    else std::memcpy(to, at, Size), to += Size;
  }
  return to;
}

KROTON_DEFINITION packed_block packed_elements(const std::byte* from, list_view<std::int64_t> extents,
                                               list_view<std::int64_t> strides, std::size_t element_size,
                                               const context* where) {
  for (std::int64_t extent : extents)
    if (extent <= 0) return {};
  const std::int64_t bytes = tensor_bytes(extents, static_cast<std::int64_t>(element_size));
  packed_block packed;
  if (where != nullptr) {
    const context& place = where->where().what == device::kind::cuda ? context::shared_host() : *where;
    packed.counted = counted_bytes(*place.account(), bytes);
  }
  packed.block = aligned_block(static_cast<std::size_t>(bytes), where == nullptr ? nullptr : where->lender());
  const auto pack = element_size == 1   ? pack_elements<1>
                    : element_size == 2 ? pack_elements<2>
                    : element_size == 4 ? pack_elements<4>
                                        : pack_elements<8>;
  pack(from, extents, strides, 0, packed.block.data());
  return packed;
}

KROTON_DEFINITION void require_different(std::initializer_list<const void*> results) {
  for (auto x = results.begin(); x != results.end(); ++x)
    if (const auto y = std::find(results.begin(), x, *x); y != x)
      throw error(message("kroton: into: outputs ", y - results.begin() + 1, " and ", x - results.begin() + 1,
                          " go into one tensor; give each a tensor of its own"));
}

}  // namespace kroton::runtime
