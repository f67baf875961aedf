// This header has policies, which say what a user allows or demands of a function beyond exact arithmetic, such as TF32
// products.
#pragma once

#include <kroton/expr/diagnose.hpp>
#include <kroton/passes/pipeline.hpp>
#include <kroton/runtime/context/product_math.hpp>

namespace kroton::runtime {

/// What a user allows or demands of a function: `session.compile<&model::f, kt::policy::explicit_transfers |
/// kt::policy::tf32>()`.
enum class policy {
  none = 0,
  explicit_transfers = 1,  ///< the user writes every transfer; a transfer that a pass inserts is a compile error
  tf32 = 2,                ///< GPUs may round factors of matrix products of floats to 11 significant bits
  bf16 = 4,                ///< GPUs may round them to the 8 significant bits of bfloat16, which is faster
  /// The epilogue of a matrix product on a GPU may apply its function to a NaN or an infinity with any result, as
  /// relu(NaN) is 0 in cuBLASLt.
  finite = 8,
  /// Quotients by the same divisor may be products with its reciprocal. They are rounded once more, and a divisor whose
  /// reciprocal is infinite counts as 0.
  reciprocals = 16
};
constexpr policy operator|(policy x, policy y) {
  return static_cast<policy>(static_cast<int>(x) | static_cast<int>(y));
}
constexpr bool includes(policy wanted, policy one) { return (static_cast<int>(wanted) & static_cast<int>(one)) != 0; }
constexpr product_math math_of(policy wanted) {
  const auto precision = includes(wanted, policy::bf16)   ? product_precision::bf16
                         : includes(wanted, policy::tf32) ? product_precision::tf32
                                                          : product_precision::full;
  return {precision, includes(wanted, policy::finite)};
}

/// The first transfer that the user has not written in a function, and the reader that needs it.
struct unwritten_transfer {
  const char* needed_by = nullptr;  ///< an operation, `output` or `update`
  place_id from = at_home, to = at_home;
};

template <class Captured>
inline constexpr unwritten_transfer first_unwritten = [] {
  constexpr const auto& g = placed<Captured>::value;
  unwritten_transfer found;
  const auto look = [&](int id, const char* reader) {
    while (is_whole_view(g.nodes[id])) id = g.operands[g.nodes[id].first];  // a view lies where its operand lies
    const node& n = g.nodes[id];
    if (found.needed_by == nullptr && n.op->kind == op_kind::transfer && !transfer_form::of(n.attr).is_written)
      found = {reader, g.nodes[g.operands[n.first]].place, n.place};
  };
  for (int id = 0; id < g.size.nodes; ++id)
    for (int i = 0; i < g.nodes[id].count && !is_whole_view(g.nodes[id]); ++i)
      look(g.operands[g.nodes[id].first + i], g.nodes[id].op->name);
  for (int i = 0; i < g.size.outputs; ++i) look(g.outputs[i], "output");
  for (int i = 0; i < g.size.updates; ++i) look(g.updates[i].source, "update");
  return found;
}();

/// Refuses a function in which the user has not written a transfer, if the policy demands it.
template <policy Wanted, class Captured>
constexpr void enforce() {
  if constexpr (includes(Wanted, policy::explicit_transfers)) {
    constexpr unwritten_transfer found = first_unwritten<Captured>;
    constexpr const auto& places = placed<Captured>::value.places;
    constexpr auto text = [](const char* letters) { return name_text{} += letters; };
    constexpr name_text reader = text(found.needed_by), from = text(place_text(places, found.from)),
                        to = text(place_text(places, found.to));
    require_written<found.needed_by == nullptr>(
        std::tuple<spelled<told::operation, reader>, spelled<told::from, from>, spelled<told::to, to>>());
  }
}

}  // namespace kroton::runtime

namespace kroton {
using runtime::policy;
}  // namespace kroton
