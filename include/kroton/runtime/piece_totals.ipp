// This file takes memory for the totals of pieces, and writes their first values.
#pragma once

#include <kroton/runtime/context/context_copy.hpp>
#include <kroton/runtime/context/memory.hpp>
#include <kroton/runtime/program/memory_sizes.hpp>
#include <kroton/runtime/piece_totals.hpp>

#include <algorithm>
#include <array>

namespace kroton::runtime {

inline int place_of(const chunk_total& t) { return t.what.place; }
/// Bytes of a total with these extents.
inline std::int64_t bytes_of(const chunk_total& t, const call_extents& extents) {
  indexed_array<std::int64_t, max_rank> e;
  e.fill(1);
  for (int axis = 0; axis < t.extents.rank; ++axis) e[axis] = extents.value(t.extents[axis]);
  return tensor_bytes(e, size_of(t.what.type));
}

KROTON_DEFINITION piece_totals::piece_totals(list_view<chunk_total> totals, std::vector<context> places)
    : totals_(totals), places_(std::move(places)), blocks_(places_.size()) {}
KROTON_DEFINITION piece_totals::piece_totals(piece_totals&&) noexcept = default;
KROTON_DEFINITION piece_totals& piece_totals::operator=(piece_totals&&) noexcept = default;
KROTON_DEFINITION piece_totals::~piece_totals() = default;

KROTON_DEFINITION void piece_totals::take(const call_extents& extents) {
  indexed_vector<std::int64_t> sizes(places_.size());
  std::vector<std::int64_t> offsets;
  for (const chunk_total& t : totals_) {
    std::int64_t& size = sizes[place_of(t)];
    offsets.push_back(size);
    const std::int64_t bytes = bytes_of(t, extents);
    const bool is_here = places_[place_of(t)].stream() == nullptr;
    if (__builtin_add_overflow(size, is_here ? bytes_in_arena(bytes) : bytes_on_device(bytes), &size))
      throw memory_error("kroton: chunked: what pieces add up to is larger than memory can be");
  }
  for (std::size_t p = 0; p != places_.size(); ++p) require_room(p, sizes, extents);
  for (std::size_t p = 0; p != places_.size(); ++p) blocks_[p] = context_block(places_[p].account(), sizes[p]);
  offsets_ = std::move(offsets);
}
KROTON_DEFINITION void piece_totals::release() {
  for (context_block& block : blocks_) block = {};
}
KROTON_DEFINITION void piece_totals::begin(const call_extents& extents) const {
  for (std::size_t p = 0; p != places_.size(); ++p) {
    const context_block& block = blocks_[p];
    const bool is_here = places_[p].stream() == nullptr;
    std::vector<std::byte> made(static_cast<std::size_t>(is_here ? 0 : block.size()));
    std::byte* const start = is_here ? block.data() : made.data();
    for (std::size_t i = 0; i != totals_.size(); ++i) {
      const chunk_total& t = totals_[i];
      if (std::cmp_not_equal(place_of(t), p)) continue;
      with_element(t.what.type, [&]<class T>() {
        std::fill_n(reinterpret_cast<T*>(start + offsets_[i]),
                    bytes_of(t, extents) / static_cast<std::int64_t>(sizeof(T)), initial_total<T>(t.combine));
      });
    }
    if (!is_here) copy_in(places_[p], block.data(), made.data(), block.size());
  }
}
KROTON_DEFINITION std::vector<std::byte*> piece_totals::after(std::vector<std::byte*> shared, int count) const {
  shared.resize(static_cast<std::size_t>(count));  // the session of a derived model has more
  for (std::size_t i = 0; i != totals_.size(); ++i)
    shared.push_back(blocks_[place_of(totals_[i])].data() + offsets_[i]);
  return shared;
}
/// Throws memory_error if the budget of a place does not allow the totals. Several places can belong to one context, so
/// the bytes of all places of that context are added.
KROTON_DEFINITION void piece_totals::require_room(std::size_t place, const std::vector<std::int64_t>& sizes,
                                                  const call_extents& extents) const {
  const auto account = places_[place].account();
  std::int64_t needed = 0;
  for (std::size_t p = 0; p != places_.size(); ++p)
    if (places_[p].account() == account) needed += sizes[p];
  if (account->has(needed)) return;
  std::vector<named_bytes> taken;
  for (const chunk_total& t : totals_)
    if (places_[place_of(t)].account() == account) taken.push_back({t.what.name, bytes_of(t, extents)});
  const memory_use use = account->now();
  throw over_budget(message("chunked: ", needed, " bytes needed for what pieces add up to"), use.budget, use.in_use,
                    std::move(taken), "");
}

}  // namespace kroton::runtime
