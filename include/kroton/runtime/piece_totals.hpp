// This header holds the totals that the pieces of a chunked function add up to, in the contexts that compute them.
#pragma once

#include <kroton/passes/chunk.hpp>
#include <kroton/runtime/context/context.hpp>
#include <kroton/arithmetic/indexed.hpp>
#include <kroton/runtime/extents_at_call.hpp>

#include <vector>

namespace kroton::runtime {

class context_block;

/// Further shared variables of both parts of a divided function.
class piece_totals {
 public:
  /// `places`: the context of each place.
  piece_totals(list_view<chunk_total> totals, std::vector<context> places);
  piece_totals(piece_totals&&) noexcept;
  piece_totals& operator=(piece_totals&&) noexcept;
  ~piece_totals();

  /// Takes memory for calls with these extents, while it has none. Throws memory_error, before anything is taken, if
  /// the budgets do not allow it.
  void take(const call_extents& extents);
  void release();
  /// Puts the combinations of no pieces there.
  void begin(const call_extents& extents) const;
  /// The addresses of the first `count` shared variables, which are those of a function, and those of the totals after
  /// them.
  std::vector<std::byte*> after(std::vector<std::byte*> shared, int count) const;

 private:
  list_view<chunk_total> totals_;
  indexed_vector<context> places_;
  indexed_vector<context_block> blocks_;  // of the places
  std::vector<std::int64_t> offsets_;     // of the totals

  void require_room(std::size_t place, const std::vector<std::int64_t>& sizes, const call_extents& extents) const;
};

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/piece_totals.ipp>
#endif
