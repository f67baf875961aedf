// This header has the state of random numbers, a shared variable that a function gets when it draws its first number,
// and the numbers of the draws of a function.
//
// The state is {seed, calls}. A call adds 1 to the second number, as the default update of the state, so that the next
// call draws other numbers.
#pragma once

#include <kroton/graph/ops/add.hpp>
#include <kroton/graph/ops/input.hpp>
#include <kroton/graph/ops/iota.hpp>
#include <kroton/graph/ops/loop.hpp>
#include <kroton/graph/ops/reshape.hpp>
#include <kroton/graph/ops/slice.hpp>

namespace kroton {
namespace ops {
/// The state in a temporary graph, which has no shared variables; import replaces it by the variable.
struct random_state {
  static constexpr op_kind kind = op_kind::iota;
  static constexpr const char* name = "random_state";
};
/// The positions of the elements of a draw in a temporary graph; import knows in which loops the draw is.
struct draw_positions {
  static constexpr op_kind kind = op_kind::iota;
  static constexpr const char* name = "draw_positions";
};
/// A number that is different for each draw of a function, in the upper 16 of 64 bits. It is a parameter of a kernel as
/// extents are, so that draws of one kind share their kernels. Attributes: extent_form.
struct draw_number {
  static constexpr op_kind kind = op_kind::extent;
  static constexpr const char* name = "draw_number";
};
}  // namespace ops

namespace graph {
/// The name of the state among the variables of a session.
inline constexpr const char* random_state_name = "kroton.random";
/// The extents of the state.
inline constexpr shape random_state_shape{1, {2}};

/// The position of the state among the shared variables of a graph; their number, if the graph draws nothing.
constexpr int random_state_position(const auto& shared, int count) {
  int i = 0;
  while (i < count && shared[i].initial.what != initializer::kind::random_state) ++i;
  return i;
}

/// The state of random numbers in graph `g`.
constexpr term random_state(graph& g) {
  const shape& s = random_state_shape;
  if (g.is_temporary) return graph_layer::record<ops::random_state>(g, dtype::uint64, s, {}, nullptr, 0);
  const int i = random_state_position(g.shared, g.shared.size());
  const bool is_new = i == g.shared.size();
  if (is_new)
    g.shared.push_back(
        {random_state_name, dtype::uint64, g.intern(s), -1, {initializer::kind::random_state}, at_home, false});
  const term state = graph_layer::record<ops::shared>(g, dtype::uint64, s, variable_form{i}, nullptr, 0);
  if (is_new) g.default_updates.push_back({i, (state + iota(g, dtype::uint64, s[0])).id});
  return state;
}
/// The largest number of a draw, which has 15 bits.
inline constexpr int most_draws = (1 << 15) - 1;

/// The number of a new draw.
constexpr term draw_number(graph& g) {
  if (g.draws > most_draws) g.report(mistake::draws);
  const extent_code number = static_cast<extent_code>(g.draws++ & most_draws) << 48;
  return graph_layer::record<ops::draw_number>(g, dtype::uint64, {}, extent_form{number}, nullptr, 0);
}
/// The positions of the elements of a draw of shape `s`. In the body of a loop they are those of one iteration among
/// the elements of a draw for all iterations, so that each iteration has numbers of its own.
constexpr term draw_positions(graph& g, const shape& s) {
  shape all = s;
  array_list<int> around;
  for (int loop = g.open_loop; loop >= 0; loop = g.loops[loop]) {
    if (all.rank == max_rank) {
      g.report({.what = mistake::many_axes, .operation = "a draw in a loop"});
      break;
    }
    all = rows_of(g.iterations[loop], all);
    around.push_back(loop);
  }
  term at = g.is_temporary ? graph_layer::record<ops::draw_positions>(g, dtype::uint64, all, {}, nullptr, 0)
                           : graph_layer::record<ops::iota>(g, dtype::uint64, all, {}, nullptr, 0);
  for (int i = around.size() - 1; i >= 0; --i) at = loop_row_term(at, {around[i], false, 0});
  return at;
}
/// The numbers {seed, calls} of a state as scalars.
constexpr term element_of_state(term state, int i) {
  return reshape_term(slice_term(state, slice_form{.axis = 0, .step = 1, .first = i}, 1), {});
}
}  // namespace graph

}  // namespace kroton
