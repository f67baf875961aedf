// This header decides which values of its body a loop keeps for the loop that goes back through its iterations. What is
// cheap is computed again there, from values that are kept anyway or from one that is as small.
//
//     %5 = tanh(%4) in loop 0, loop 1 reads %7 = 1 - %5 * %5 of it
//       ->  %8 = loop_rows(%5) is kept, and in loop 1 %9 = row of %8, %10 = 1 - %9 * %9 stands for %7
#pragma once

#include <kroton/graph/ops/loop.hpp>

namespace kroton::graph {

/// What the reverse loop of `r` reads of the body that it goes back through: the nodes of that body in `is_read`.
class kept_values {
 public:
  constexpr kept_values(graph& g, const loop_reversal& r, const array_list<carried_pair>& pairs,
                        const array_list<bool>& is_read)
      : g_(g), r_(r), variables_(g, r.loop, r.iterations), is_kept_(is_read.size(), false),
        found_for_(is_read.size(), -1), made_(is_read.size(), -1) {
    for (const carried_pair& pair : pairs)
      if (pair.loop == r.loop) variables_.add({&g, pair.carried}, {&g, pair.next});
    const auto is_value = [&](int id) { return is_read[id] && is_of_body(id); };
    for (int id = 0; id < is_read.size(); ++id)
      if (is_value(id) && !is_cheap(g.nodes[id])) is_kept_[id] = true;
    for (int id = 0; id < is_read.size(); ++id)
      if (is_value(id) && !is_kept_[id]) choose(id);
  }

  /// The value of node `id` of the body, in the reverse loop.
  constexpr int in_reverse(int id) {
    if ((g_.nodes[id].loops & set_of_loop(r_.loop)) == 0) return id;
    if (made_[id] < 0) {
      const int made = value(id);
      made_[id] = made;
    }
    return made_[id];
  }

 private:
  static constexpr int most_cost = 2;  // of what is computed again, for an element
  graph& g_;
  const loop_reversal& r_;
  carried_variables variables_;
  array_list<bool> is_kept_;
  array_list<int> found_for_;  // of each node: the last value of which it was found to be a source
  array_list<int> made_;       // of each node: that in the reverse loop, -1: none yet

  constexpr bool is_of_body(int id) const {
    const loop_set loops = g_.nodes[id].loops;
    return (loops & set_of_loop(r_.loop)) != 0 && (loops & set_of_loop(r_.reverse)) == 0;
  }
  static constexpr bool is_cheap(const node& n) {
    return is_view(n.op->kind) || (n.op->kind == op_kind::map && n.op->cost <= most_cost && !n.op->draws);
  }
  /// Keeps a cheap value, or the one that it needs and that is not kept.
  constexpr void choose(int id) {
    array_list<int> missing;
    find_sources(id, id, missing);
    const bool is_smaller = missing.size() == 1 && size_of(g_.nodes[id].type) < size_of(g_.nodes[missing[0]].type);
    if (missing.size() > 1 || is_smaller) is_kept_[id] = true;
    else if (missing.size() == 1) is_kept_[missing[0]] = true;
  }
  /// Appends what is not kept of the values from which cheap operations make node `x`.
  constexpr void find_sources(int x, int of, array_list<int>& missing) {
    if (!is_of_body(x) || is_kept_[x] || found_for_[x] == of || g_.nodes[x].op->kind == op_kind::loop_row) return;
    found_for_[x] = of;
    if (!is_cheap(g_.nodes[x])) return missing.push_back(x);
    for (int i = 0; i < g_.nodes[x].count; ++i) find_sources(g_.operand(x, i), of, missing);
  }

  constexpr int value(int id) {
    const node n = g_.nodes[id];
    extent_table& extents = g_.extents;
    const extent_code last = extents.subtract(r_.iterations, 1);
    if (n.op->kind == op_kind::loop_row) {
      const loop_row_form form = loop_row_form::of(n.attr);
      const extent_code first = form.goes_back ? extents.subtract(form.first, last) : extents.add(form.first, last);
      return loop_row_term({&g_, g_.operand(id, 0)}, {r_.reverse, !form.goes_back, first}).id;
    }
    if (n.op->kind == op_kind::loop_carried) {
      const loop_carried_form form = loop_carried_form::of(n.attr);
      return loop_row_term(variables_.history(id), {r_.reverse, true, extents.add(last, form.kept - form.back)}).id;
    }
    if (is_kept_[id]) return loop_row_term(variables_.rows({&g_, id}), {r_.reverse, true, last}).id;
    array_list<int> operands;
    for (int i = 0; i < n.count; ++i) operands.push_back(in_reverse(g_.operand(id, i)));
    return g_.add(n.op, n.type, n.shape, n.attr, operands.begin(), n.count);
  }
};

}  // namespace kroton::graph
