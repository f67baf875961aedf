// What a user wants the compiler to refuse.
#pragma once

#include <kroton/expr/diagnose.hpp>
#include <kroton/passes/compile.hpp>

namespace kroton {

enum class policy {
  none,
  explicit_transfers  ///< every transfer is written: `session.compile<&model::f, kt::policy::explicit_transfers>()`
};

/// The first transfer of a function that is not written, and what needs it.
struct unwritten_transfer {
  const char* needed_by = nullptr;  ///< an operation, `output` or `update`
  place_id from = at_home, to = at_home;
};

template <class Captured>
inline constexpr unwritten_transfer first_unwritten = [] {
  constexpr const auto& g = placed<Captured>::value;
  unwritten_transfer found;
  const auto look = [&](int id, const char* reader) {
    const node& n = g.nodes[id];
    if (found.needed_by == nullptr && n.op->kind == op_kind::transfer && n.attr.b == 0)
      found = {reader, g.nodes[g.operands[n.first]].place, n.place};
  };
  for (int id = 0; id < g.size.nodes; ++id)
    for (int i = 0; i < g.nodes[id].count; ++i) look(g.operands[g.nodes[id].first + i], g.nodes[id].op->name);
  for (int i = 0; i < g.size.outputs; ++i) look(g.outputs[i], "output");
  for (int i = 0; i < g.size.updates; ++i) look(g.updates[i].source, "update");
  return found;
}();

/// Says what a policy does not allow in a function.
template <policy Wanted, class Captured>
constexpr void enforce() {
  if constexpr (Wanted == policy::explicit_transfers) {
    constexpr unwritten_transfer found = first_unwritten<Captured>;
    constexpr const auto& places = placed<Captured>::value.places;
    constexpr auto text = [](const char* letters) { return name_text{} += letters; };
    constexpr name_text reader = text(found.needed_by), from = text(place_text(places, found.from)), to = text(place_text(places, found.to));
    require_written<found.needed_by == nullptr>(std::tuple<spelled<told::operation, reader>, spelled<told::from, from>, spelled<told::to, to>>());
  }
}

}  // namespace kroton
