// This header makes a loop of what runs only where a condition holds: of no iteration or one.
//
//     %2 = exp(%0), guard %1 (bool)
//       ->  %3 = reshape(%0) (1, ...), %4 = row of %3 in loop 0, %5 = exp(%4), %6 = loop_rows(%5, %1), of one iteration
//           if %1 holds, and %7 = where(%1, %6, 0)
//
// What depends on no iteration is outside a loop, wherever it was written. So all that a branch uses of what was there
// before becomes a row of a tensor of one row.
#pragma once

#include <kroton/graph/ops/after.hpp>
#include <kroton/graph/stable_form.hpp>
#include <kroton/graph/substituted.hpp>

namespace kroton::graph {

/// `values`, of which the nodes from `first` on are computed where `guard` holds; they are 0 elsewhere.
constexpr array_list<term> guarded(array_list<term> values, int first, term guard) {
  graph& g = *guard.owner;
  stabilise_body(g, values, first);
  array_list<int> roots;
  for (const term& v : values) roots.push_back(v.id);
  const int loop = g.new_loop();
  g.guards[loop] = guard.id;
  const auto was_there = [&](int id) {
    const op_kind kind = g.nodes[id].op->kind;
    return id < first || kind == op_kind::input || kind == op_kind::shared;
  };
  const array_list<bool> is_needed = needed_nodes(g, roots, was_there);
  array_list<int> used;  // of what was there before
  for (int id = is_needed.size() - 1; id >= 0; --id) {
    const op_kind kind = g.nodes[id].op->kind;
    if (is_needed[id] && was_there(id) && kind != op_kind::constant && kind != op_kind::extent) used.push_back(id);
  }
  array_list<replacement> rows;
  for (const int id : used) {
    const shape s = g.shape_of(id);  // a copy, because new nodes move the graph's shapes
    if (s.rank == max_rank) {
      g.report({.what = mistake::many_axes, .operation = "cond"});
      return values;
    }
    const term row = loop_row_term(reshape_term({&g, id}, rows_of(1, s)), {loop, false, 0});
    // integers are written in the loop, so that indices are checked there, and only if it runs
    rows.push_back({id, (is_integer(row.type()) ? after_term(guard, row) : row).id});
  }
  const body_scope body(g, loop);
  const substitution inside(g, rows, roots);
  const carried_variables none(g, loop, 1);
  array_list<term> results;
  for (const term& v : values) {
    const shape s = v.extents();
    const term value{&g, inside[v.id]};
    results.push_back((value.get().loops & set_of_loop(loop)) == 0 ? v : reshape_term(none.rows(value), s));
  }
  return results;
}

}  // namespace kroton::graph
