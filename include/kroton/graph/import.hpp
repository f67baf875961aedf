// This header takes the graphs of tensors that are made without operands, `kt::zeros<float, n, 3>()`, into the graph of
// a function.
//
// While a function is captured, only its arguments and shared variables know its graph. A tensor that `kt::zeros` makes
// has a temporary graph of its own, in which operations can be recorded; where it meets an expression of the function,
// its nodes are copied, and the function's graph keeps the temporary one until it is finished:
//
//     h = kt::zeros<float, batch, 3>()     temporary: %0 = 0, %1 = broadcast(%0)
//     y = x + h                            function:  %4 = 0, %5 = broadcast(%4), %6 = add(x, %5)
//
// A temporary graph is copied to one graph alone, its keeper, and from there on to the keeper of that: so a draw of
// random numbers, which gets another number in each graph, is one draw wherever it is used.
#pragma once

#include <kroton/graph/ops.hpp>

namespace kroton::graph {

/// The graph in which expressions of `g` meet others: that which keeps it, if one does.
constexpr graph& root_of(graph& g) {
  graph* root = &g;
  while (root->keeper != nullptr) root = root->keeper;
  return *root;
}

/// Copies nodes of a temporary graph to another one.
class graph_import {
 public:
  constexpr graph_import(graph& from, graph& to) : from_(from), to_(to) {
    from.moved.resize(from.size(), -1);
    for (const requirement& r : from.extents.requirements)
      to.extents.require({r.what, extent(r.a), extent(r.b), r.operation});
    to.report(from.problem);
    if (from.keeper == &to) return;
    from.keeper = &to;
    to.kept.add(&from);
  }
  /// The node that is `id` in the temporary graph.
  constexpr int node_of(int id) {
    if (from_.moved[id] >= 0) return from_.moved[id];
    const node n = from_.nodes[id];
    if (n.op->id == id_of<ops::random_state>) return from_.moved[id] = random_state(to_).id;
    if (n.op->id == id_of<ops::draw_number>) return from_.moved[id] = draw_number(to_).id;
    if (n.op->id == id_of<ops::draw_positions>)
      return from_.moved[id] = draw_positions(to_, moved(from_.shapes[n.shape])).id;
    array_list<int> operands;
    for (int i = 0; i < n.count; ++i) operands.push_back(node_of(from_.operand(id, i)));
    return from_.moved[id] =
               to_.add(n.op, n.type, to_.intern(moved(from_.shapes[n.shape])), moved(n), operands.begin(), n.count);
  }

 private:
  graph &from_, &to_;

  constexpr extent_code extent(extent_code e) {
    if (e >= 0) return e;
    extent_symbol s = from_.extents.symbol(e);
    if (is_derived(s.kind)) s.a = extent(s.a), s.b = extent(s.b);
    return to_.extents.intern(s);
  }
  /// What number a loop has there: a new one when it is first met.
  constexpr int loop(int number) {
    while (from_.moved_loops.size() <= number) from_.moved_loops.push_back(-1);
    const int moved = from_.moved_loops[number];
    if (moved >= 0) return moved;
    const int outer = from_.loops[number];
    const int loop = to_.new_loop_in(outer >= 0 ? this->loop(outer) : to_.open_loop, from_.steps_back[number],
                                     extent(from_.iterations[number]));
    from_.moved_loops[number] = loop;
    if (from_.guards[number] >= 0) to_.guards[loop] = node_of(from_.guards[number]);
    return loop;
  }
  constexpr shape moved(shape s) {
    for (int axis = 0; axis < s.rank; ++axis) s[axis] = extent(s[axis]);
    return s;
  }
  /// The attributes of a node of a loop.
  template <class Form>
  constexpr attributes of_loop(const attributes& attr) {
    Form form = Form::of(attr);
    form.loop = loop(form.loop);
    if constexpr (requires { form.first; }) form.first = extent(form.first);
    if constexpr (requires { form.iterations; }) form.iterations = extent(form.iterations);
    return form;
  }
  constexpr custom_form moved_rule(custom_rule rule) {
    rule.arriving = node_of(rule.arriving);
    for (int& id : rule.gradients) id = node_of(id);
    to_.custom_rules.push_back(rule);
    return {to_.custom_rules.size() - 1};
  }
  /// The attributes of a node; some of them are extents.
  constexpr attributes moved(const node& n) {
    attributes attr = n.attr;
    if (n.op->kind == op_kind::slice || n.op->kind == op_kind::embed) {
      slice_form form = slice_form::of(attr);
      form.first = extent(form.first);
      return form;
    }
    if (n.op->kind == op_kind::custom_gradient) return moved_rule(from_.custom_rules[custom_form::of(attr).number]);
    if (n.op->kind == op_kind::loop_row) return of_loop<loop_row_form>(attr);
    if (n.op->kind == op_kind::loop_carried) return of_loop<loop_carried_form>(attr);
    if (n.op->kind == op_kind::loop_rows) return of_loop<loop_rows_form>(attr);
    if (n.op->kind == op_kind::loop_last) return of_loop<loop_last_form>(attr);
    if (n.op->kind == op_kind::extent || n.op->id == id_of<ops::index_check>)
      return extent_form{extent(extent_form::of(attr).extent)};
    return attr;
  }
};

/// Notes in `g` what a temporary graph requires of extents, and keeps the graph until `g` ends.
constexpr void keep(graph& g, graph& temporary) {
  for (graph* from = &temporary; from != &g && from->is_temporary;) {
    graph* const to = from->keeper != nullptr ? from->keeper : &g;
    graph_import(*from, *to);
    from = to;
  }
}
/// The node `x` of a temporary graph, as a node of `g`.
constexpr term imported(graph& g, term x) {
  while (x.owner != &g) {
    if (!x.owner->is_temporary) {  // it was copied to another model before
      g.report(mistake::other_model);
      shape s = x.extents();
      for (int axis = 0; axis < s.rank; ++axis)
        if (s[axis] < 0) s[axis] = 1;
      return broadcast_term(constant(g, x.type(), 0), s);
    }
    graph& to = x.owner->keeper != nullptr ? *x.owner->keeper : g;
    x = {&to, graph_import(*x.owner, to).node_of(x.id)};
  }
  return x;
}

/// The number in `g` of a loop that was begun in `from`, of which nodes may have been copied to `g`.
constexpr int loop_in(graph& g, const graph& from, int loop) {
  if (&g == &from) return loop;
  const bool is_moved = loop < from.moved_loops.size() && from.moved_loops[loop] >= 0;
  return is_moved ? from.moved_loops[loop] : g.new_loop(from.steps_back[loop]);
}

}  // namespace kroton::graph
