// This header has all derivatives of a tensor with respect to another one: its derivatives in all directions, or the
// gradients of all its elements, lifted so that they are computed at once.
//
//     %2 = tanh(%1) (3), %1 of (2)  ->  tangents of %2 where %1 has the rows of eye (2, 2): (2, 3), transposed (3, 2)
#pragma once

#include <kroton/graph/forward_mode.hpp>
#include <kroton/graph/lifted_body.hpp>

namespace kroton::graph {

/// The gradients of `sum(y * seed)` with respect to `variables`, where `seed` is held constant; afterwards they are
/// functions of `seed`, with derivatives of their own.
constexpr array_list<term> vector_products(term y, term seed, const array_list<term>& variables, unsigned line) {
  graph& g = *y.owner;
  bool depends = false;
  for (const term& v : variables) depends = depends || is_connected(seed, v.id);
  const term held = depends ? disconnected_term(seed) : seed;
  const term cost = sum(y * held);
  const int checked = g.gradients.size();
  array_list<term> found = gradients(cost, variables, line);
  if (!depends) return found;
  g.gradients.resize(checked, {});  // those are of the cost with the constant
  array_list<replacement> put_back;
  put_back.push_back({held.id, seed.id});
  array_list<int> roots;
  for (const term& t : found)
    if (t.valid()) roots.push_back(t.id);
  const substitution now(g, put_back, roots);
  for (term& t : found)
    if (t.valid()) t.id = now[t.id];
  return found;
}

/// The derivatives of `y` with respect to `x`, (extents of y, extents of x), by forward mode or by reverse mode. An
/// invalid term if `y` does not depend on `x`.
constexpr term jacobian_term(term y, term x, bool is_forward, unsigned line) {
  graph& g = *y.owner;
  const shape of_y = y.extents(), of_x = x.extents();  // copies, because new nodes move the graph's shapes
  const shape seed = is_forward ? of_x : of_y;
  const dtype type = is_forward ? x.type() : y.type();
  const extent_code count = g.extents.elements(seed);
  const term positions = iota(g, dtype::int64, count);
  const term units = cast(reshape_term(positions, {2, {count, 1}}) == positions, type);
  const int loop = g.new_loop();
  g.lifted_loops |= set_of_loop(loop);
  const term unit = loop_row_term(reshape_term(units, rows_of(count, seed)), {loop, false, 0});
  array_list<term> variables, units_of;
  variables.push_back(x);
  units_of.push_back(unit);
  const auto record = [&] {
    const body_scope body(g, loop);
    return is_forward ? forward_mode(g, line).run(y, variables, units_of)
                      : vector_products(y, unit, variables, line)[0];
  };
  const term each = record();
  if (!each.valid()) return each;
  term rows = cast(lifted_body(g, loop, count).rows(each), y.type());
  shape all = of_y;
  for (int axis = 0; axis < of_x.rank; ++axis) all.append(of_x[axis]);
  if (is_forward) {  // the axis of the units is the last one
    std::int64_t order = 0;
    for (int i = 0; i < of_y.rank; ++i) order |= static_cast<std::int64_t>(i + 1) << (4 * i);
    rows = transpose_term(rows, order);
  }
  return reshape_term(rows, all);
}

}  // namespace kroton::graph
