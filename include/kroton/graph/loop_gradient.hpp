// This header differentiates loops in reverse mode. A second loop goes back through the iterations, and carries what
// arrives at the carried variables; what its body reads of the first loop's body is kept, a row for each iteration.
//
//     %4 = carried h, %5 = tanh(%4 + row), %6 = loop_rows(%5) in loop 0, gradient %9 of %6
//       ->  loop 1: %10 = row of %9, from the last to the first, %11 = carried d, %12 = %10 + %11, the gradient of %5
//                   %14 = %12 * (1 - %13 * %13), the new d, where %13 = row of %6, from the last to the first
#pragma once

#include <kroton/graph/kept_values.hpp>
#include <kroton/graph/loop_order.hpp>
#include <kroton/graph/reach.hpp>
#include <kroton/graph/substituted.hpp>

namespace kroton::graph {

/// Whether `value`, which a reverse loop computes, is for a node outside the loop that it goes back through.
constexpr bool leaves_loop(const graph& g, const cost_adjoints& found, int x, int value) {
  if (found.open < 0) return false;
  const loop_reversal& r = found.reversals[found.open];
  return (g.nodes[value].loops & set_of_loop(r.reverse)) != 0 && (g.nodes[x].loops & set_of_loop(r.loop)) == 0;
}
/// Adds `more` to the gradient with respect to node `x`, now or when the loop is closed that it leaves.
constexpr void add_adjoint(graph& g, cost_adjoints& found, int x, adjoint more);

/// What reverse mode does at the nodes of loops.
class loop_gradients {
 public:
  constexpr loop_gradients(graph& g, cost_adjoints& found) : g_(g), s_(found) {}

  /// Calls `need` with the nodes that have values of a carried variable, if its new value is needed.
  constexpr void need_carried(const carried_pair& pair, auto need) {
    for (int id = 0; id <= s_.stable; ++id)
      if (is_value_of(g_.nodes[id], pair.loop, pair.number) && !s_.needed[id]) need(id);
  }
  /// Ends the reverse loops of all loops that node `id` is not in, and begins the body of the last one if it is in
  /// that.
  constexpr void come_to(int id) {
    while (s_.open >= 0 && !is_part_of(g_.nodes[id])) close();
    if (s_.open < 0 || s_.reversals[s_.open].is_entered) return;
    if ((g_.nodes[id].loops & set_of_loop(s_.reversals[s_.open].loop)) != 0) enter();
  }
  /// Goes back through a node of a loop. Returns whether that was all.
  constexpr bool go_back(int id) {
    const node n = g_.nodes[id];
    for_each_loop(n.loops & ~g_.nodes[s_.stable].loops, [&](int loop) { open_again(loop); });
    if (is_loop_result(n.op->kind)) {
      if (s_.open < 0 || s_.reversals[s_.open].loop != loop_row_form::loop_number(n.attr)) open(n);
      arrive(id, n);
      return true;
    }
    if (n.op->kind == op_kind::loop_carried) {
      const loop_carried_form form = loop_carried_form::of(n.attr);
      for (loop_reversal::variable& v : s_.reversals[s_.open].variables)
        if (v.number == form.number && v.back == form.back) v.next = selected(id).id;
      return true;
    }
    if (n.op->kind != op_kind::loop_row) return false;
    const term value = selected(id);
    if (const int x = g_.operand(id, 0); s_.fresh[x]) s_.reversals[s_.open].contributions.push_back({x, value.id, id});
    return true;
  }
  constexpr void close_all() {
    while (s_.open >= 0) close();
  }

 private:
  graph& g_;
  cost_adjoints& s_;

  constexpr term selected(int id) { return reach::selected(g_, s_.at(id)); }
  constexpr bool is_part_of(const node& n) const {
    const int loop = s_.reversals[s_.open].loop;
    return (n.loops & set_of_loop(loop)) != 0 || is_result_of(n, loop);
  }
  /// The number of the reversal of a loop; that of the next one, if it has none.
  constexpr int reversal_of(int loop) const {
    int i = 0;
    while (i < s_.reversals.size() && s_.reversals[i].loop != loop) ++i;
    return i;
  }
  constexpr void open(const node& result) {
    const int loop = loop_row_form::loop_number(result.attr), i = reversal_of(loop);
    if (i == s_.reversals.size()) {
      s_.reversals.push_back({});
      s_.reversals[i].loop = loop;
      s_.reversals[i].reverse = g_.new_loop();
      g_.guards[s_.reversals[i].reverse] = g_.guards[loop];
      const extent_code all = loop_result_form::of(result.attr).iterations;
      s_.reversals[i].iterations = all;
      s_.reversals[i].steps = g_.steps_back[loop] > 0 ? g_.extents.minimum(all, g_.steps_back[loop]) : all;
    }
    begin(i);
  }
  /// Goes on with the reverse loop of an earlier list of variables, if it is not open.
  constexpr void open_again(int loop) {
    for (int i = s_.open; i >= 0; i = s_.reversals[i].outer)
      if (s_.reversals[i].loop == loop) return;
    if (const int i = reversal_of(loop); i < s_.reversals.size()) begin(i);
  }
  constexpr void begin(int i) {
    loop_reversal& r = s_.reversals[i];
    r.outer = s_.open;
    r.outer_loop = g_.open_loop;
    r.is_entered = false;
    g_.open_loop = r.reverse;
    s_.open = i;
  }
  constexpr extent_code last_row(const loop_reversal& r) { return g_.extents.subtract(r.iterations, 1); }
  constexpr term zeros(dtype type, const shape& s) { return broadcast_term(constant(g_, type, 0), s); }
  /// Notes what arrives at a result.
  constexpr void arrive(int id, const node& n) {
    loop_reversal& r = s_.reversals[s_.open];
    const term value = selected(id);
    if (n.op->kind == op_kind::loop_last) {
      const loop_carried_form form = loop_carried_form::of(g_.nodes[g_.operand(id, 0)].attr);
      r.finals.push_back({form.number, loop_last_form::of(n.attr).back, value.id});
      return;
    }
    const bool is_reversed = loop_rows_form::of(n.attr).reversed;
    const int x = g_.operand(id, 0);
    if (!s_.fresh[x]) return;
    add(x, loop_row_term(value, {r.reverse, !is_reversed, is_reversed ? 0 : last_row(r)}));
  }
  constexpr void add(int x, term more) { add_adjoint(g_, s_, x, {more.id, -1, -1}); }

  /// Gives the reverse loop its carried variables, when all that arrives at results is known.
  constexpr void enter() {
    loop_reversal& r = s_.reversals[s_.open];
    r.is_entered = true;
    for (const carried_pair& pair : s_.carried) {
      if (pair.loop != r.loop || !is_floating(g_.nodes[pair.next].type)) continue;
      for (int id = 0; id <= s_.stable; ++id)
        if (is_value_of(g_.nodes[id], r.loop, pair.number) && s_.fresh[id])
          carry(r, pair, loop_carried_form::of(g_.nodes[id].attr).back);
      for (const loop_reversal::final_gradient& f : r.finals)
        if (f.number == pair.number && (s_.fresh[pair.next] || s_.fresh[pair.carried])) carry(r, pair, f.back);
    }
    r.finals.clear();
  }
  /// A variable for what arrives at values of `pair` that are `back` iterations old.
  constexpr void carry(loop_reversal& r, const carried_pair& pair, int back) {
    for (const loop_reversal::variable& v : r.variables)
      if (v.number == pair.number && v.back == back) return;
    const dtype type = g_.nodes[pair.next].type;
    const shape row = g_.shape_of(pair.carried), rows = rows_of(back, row);
    term initial;
    for (const loop_reversal::final_gradient& f : r.finals) {
      if (f.number != pair.number || f.back != back) continue;
      const term only = reshape_term(term{&g_, f.value}, rows_of(1, row));
      const term placed = back == 1 ? only : embed_term(only, {0, 1, back - 1}, rows);
      initial = initial.valid() ? initial + placed : placed;
    }
    if (!initial.valid()) initial = zeros(type, rows);
    const term carried = loop_carried_term(initial, {r.reverse, next_variable(g_, r.reverse), back, back});
    r.variables.push_back({pair.number, back, carried.id, -1});
    if (s_.fresh[pair.next]) add(pair.next, carried);
  }

  /// Ends the reverse loop, and adds what leaves it to the gradients outside.
  constexpr void close() {
    if (!s_.reversals[s_.open].is_entered) enter();
    const int at = s_.open;
    keep_values(s_.reversals[at]);
    const loop_reversal r = s_.reversals[at];
    s_.reversals[at].contributions.clear();
    s_.open = r.outer;
    g_.open_loop = r.outer_loop;
    carried_variables variables(g_, r.reverse, r.steps);
    for (const loop_reversal::variable& v : r.variables) variables.add({&g_, v.carried}, {&g_, v.next});
    for (const loop_reversal::contribution& c : r.contributions) {
      const term value{&g_, c.value};
      add(c.to, c.row < 0 ? sum(variables.rows(value), 1) : placed(c, variables, r));
    }
    for (const carried_pair& pair : s_.carried)
      if (const int initial = g_.operand(pair.carried, 0); pair.loop == r.loop && s_.fresh[initial])
        add_initial(initial, pair, variables, r);
  }
  /// The gradients of rows, where they belong.
  constexpr term placed(const loop_reversal::contribution& c, const carried_variables& variables,
                        const loop_reversal& r) {
    const loop_row_form form = loop_row_form::of(g_.nodes[c.row].attr);
    const term rows = variables.rows({&g_, c.value}, !form.goes_back);
    extent_table& extents = g_.extents;
    const extent_code first = form.goes_back ? extents.subtract(form.first, last_row(r))
                                             : extents.add(form.first, extents.subtract(r.iterations, r.steps));
    const shape all = g_.shape_of(c.to);
    return first == 0 && all[0] == r.steps ? rows : embed_term(rows, {0, 1, first}, all);
  }
  /// What arrives before the first iteration: zeros, if the reverse loop does not come there.
  constexpr term reached(term value, const loop_reversal& r) {
    if (r.steps == r.iterations) return value;
    return where(extent_value(g_, dtype::int64, r.iterations) <= g_.steps_back[r.loop], value, 0);
  }
  /// What arrives at the values that a variable begins with.
  constexpr void add_initial(int initial, const carried_pair& pair, const carried_variables& variables,
                             const loop_reversal& r) {
    const shape all = g_.shape_of(initial), row = row_of(all);
    const int kept = loop_carried_form::of(g_.nodes[pair.carried].attr).kept;
    for (int i = 0; i < r.variables.size(); ++i) {
      const loop_reversal::variable& v = r.variables[i];
      if (v.number != pair.number) continue;
      for (int j = 0; j < kept; ++j) {
        const int back = j - kept + v.back + 1;
        if (back < 1) continue;
        const term only = reshape_term(reached(variables.last(i, back), r), rows_of(1, row));
        add(initial, kept == 1 ? only : embed_term(only, {0, 1, j}, all));
      }
    }
  }

  /// Replaces what a reverse loop reads of the body by rows that the first loop keeps, or by what these allow to be
  /// computed again.
  constexpr void keep_values(loop_reversal& r) {
    array_list<int*> roots;
    for (loop_reversal::variable& v : r.variables) {
      if (v.next < 0) {
        const term carried{&g_, v.carried};
        const shape s = carried.extents();  // a copy, because new nodes move the graph's shapes
        v.next = zeros(carried.type(), s).id;
      }
      roots.push_back(&v.next);
    }
    for (loop_reversal::contribution& c : r.contributions) roots.push_back(&c.value);
    const int count = g_.size();
    array_list<bool> is_read(count, false);
    for (const int* root : roots) is_read[*root] = true;
    const loop_set forward = set_of_loop(r.loop), backward = set_of_loop(r.reverse);
    for (int id = count - 1; id >= 0; --id) {
      const node& n = g_.nodes[id];
      if (is_read[id] && (n.loops & forward) != 0 && (n.loops & backward) != 0)
        for_each_source(g_, n, true, [&](int x) { is_read[x] = true; });
    }
    kept_values kept(g_, r, s_.carried, is_read);
    array_list<int> now(count, -1);
    for (int id = 0; id < count; ++id) {
      if (!is_read[id]) continue;
      const node n = g_.nodes[id];
      now[id] = id;
      if ((n.loops & forward) == 0) continue;
      if ((n.loops & backward) == 0) {
        now[id] = kept.in_reverse(id);
        continue;
      }
      array_list<int> operands;
      for (int i = 0; i < n.count; ++i) operands.push_back(now[g_.operand(id, i)]);
      const bool has_rule = n.op->kind == op_kind::custom_gradient;
      const attributes attr = has_rule ? attributes(copied_rule(g_, n.attr, now)) : n.attr;
      now[id] = g_.add(n.op, n.type, n.shape, attr, operands.begin(), n.count);
    }
    for (int* root : roots) *root = now[*root];
    for (int loop = 0; loop < g_.guards.size(); ++loop)
      if (int& guard = g_.guards[loop]; guard >= 0 && guard < count && (g_.with_outer(loop) & backward) != 0)
        if (now[guard] >= 0) guard = now[guard];
  }
};

}  // namespace kroton::graph
