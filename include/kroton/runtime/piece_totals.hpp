// This header holds the totals that the pieces of a chunked function add up to, in the contexts that compute them.
#pragma once

#include <kroton/passes/chunk.hpp>
#include <kroton/runtime/context/context.hpp>
#include <kroton/arithmetic/indexed.hpp>
#include <kroton/runtime/extents_at_call.hpp>

#include <vector>

namespace kroton::runtime {

class context_block;

/// The totals of a chunked function. They are additional shared variables of two of its programs, the piece and the
/// rest.
class piece_totals {
 public:
  /// `places`: the context of each place.
  piece_totals(list_view<chunk_total> totals, std::vector<context> places);
  piece_totals(piece_totals&&) noexcept;
  piece_totals& operator=(piece_totals&&) noexcept;
  ~piece_totals();

  /// Takes memory for calls with these extents; it must not have memory already. Throws memory_error, before it takes
  /// any, if the budgets do not allow it.
  void take(const call_extents& extents);
  void release();
  /// Writes the totals of no pieces, such as 0 for a sum.
  void begin(const call_extents& extents) const;
  /// The addresses of the first `count` shared variables, which belong to the function, and after them the addresses of
  /// the totals.
  std::vector<std::byte*> after(std::vector<std::byte*> shared, int count) const;

 private:
  list_view<chunk_total> totals_;
  indexed_vector<context> places_;
  indexed_vector<context_block> blocks_;  // one for each place
  std::vector<std::int64_t> offsets_;     // one for each total

  void require_room(std::size_t place, const std::vector<std::int64_t>& sizes, const call_extents& extents) const;
};

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/piece_totals.ipp>
#endif
