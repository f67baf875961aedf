// What the pieces of a divided function add up to, in the contexts that compute it.
#pragma once

#include <kroton/passes/chunk.hpp>
#include <kroton/runtime/context_copy.hpp>
#include <kroton/runtime/extents_at_call.hpp>

#include <array>
#include <span>

namespace kroton {

/// Further shared variables of both parts of a divided function.
class piece_totals {
 public:
  /// `places`: the context of each place.
  piece_totals(std::span<const chunk_total> totals, std::vector<context> places) : totals_(totals), places_(std::move(places)), blocks_(places_.size()) {}

  /// Takes memory for calls with these extents, while it has none. Throws memory_error, before anything is taken, if the budgets do not allow it.
  void take(const call_extents& extents) {
    std::vector<std::int64_t> offsets, sizes(places_.size());
    for (const chunk_total& t : totals_) {
      std::int64_t& size = sizes[place_of(t)];
      offsets.push_back(size);
      if (__builtin_add_overflow(size, bytes_in_arena(bytes(t, extents)), &size)) throw memory_error("kroton: chunked: what pieces add up to is larger than memory can be");
    }
    for (std::size_t p = 0; p != places_.size(); ++p) require_room(p, sizes, extents);
    for (std::size_t p = 0; p != places_.size(); ++p) blocks_[p] = context_block(places_[p].account(), sizes[p]);
    offsets_ = std::move(offsets);
  }
  void release() {
    for (context_block& block : blocks_) block = {};
  }
  /// Puts the combinations of no pieces there.
  void begin(const call_extents& extents) const {
    for (std::size_t p = 0; p != places_.size(); ++p) {
      const context_block& block = blocks_[p];
      const bool is_here = places_[p].stream() == nullptr;
      std::vector<std::byte> made(static_cast<std::size_t>(is_here ? 0 : block.size()));
      std::byte* const start = is_here ? block.data() : made.data();
      for (std::size_t i = 0; i != totals_.size(); ++i) {
        const chunk_total& t = totals_[i];
        if (place_of(t) != p) continue;
        with_element(t.what.type, [&]<class T>() {
          std::fill_n(reinterpret_cast<T*>(start + offsets_[i]), bytes(t, extents) / static_cast<std::int64_t>(sizeof(T)), initial_total<T>(t.combine));
        });
      }
      if (!is_here) copy_in(places_[p], block.data(), made.data(), block.size());
    }
  }
  /// The addresses of the first `count` shared variables, which are those of a function, and those of the totals after them.
  std::vector<std::byte*> after(std::vector<std::byte*> shared, int count) const {
    shared.resize(static_cast<std::size_t>(count));  // a derived model has more
    for (std::size_t i = 0; i != totals_.size(); ++i) shared.push_back(blocks_[place_of(totals_[i])].data() + offsets_[i]);
    return shared;
  }

 private:
  std::span<const chunk_total> totals_;
  std::vector<context> places_;
  std::vector<context_block> blocks_;  // of the places
  std::vector<std::int64_t> offsets_;  // of the totals

  static std::size_t place_of(const chunk_total& t) { return static_cast<std::size_t>(t.what.place); }
  static std::int64_t bytes(const chunk_total& t, const call_extents& extents) {
    std::array<std::int64_t, max_rank> e;
    e.fill(1);
    for (int axis = 0; axis < t.extents.rank; ++axis) e[static_cast<std::size_t>(axis)] = extents.value(t.extents[axis]);
    return tensor_bytes(e, static_cast<std::size_t>(size_of(t.what.type)));
  }
  /// Several places can belong to one context.
  void require_room(std::size_t place, const std::vector<std::int64_t>& sizes, const call_extents& extents) const {
    const auto account = places_[place].account();
    std::int64_t needed = 0;
    for (std::size_t p = 0; p != places_.size(); ++p)
      if (places_[p].account() == account) needed += sizes[p];
    if (account->has(needed)) return;
    std::vector<named_bytes> all;
    for (const chunk_total& t : totals_)
      if (places_[place_of(t)].account() == account) all.emplace_back(t.what.name, bytes(t, extents));
    const memory_use use = account->now();
    throw over_budget(message("chunked: ", needed, " bytes needed for what pieces add up to"), use.budget, use.in_use, std::move(all), "");
  }
};

}  // namespace kroton
