// This header lifts a whole body over the iterations of its loop, so that no loop is left: it makes of values of an
// iteration those of all iterations.
//
//     %1 = row of %0 in loop 0 (4), %3 = dot(%1, %2) (8), %4 = max(%3), over all rows of %0 (n, 4)
//       ->  %5 = dot(%0, %2) (n, 8), %6 = max(%5) over axis 1 (n)
//
// A loop in the body stays one loop, whose values have an axis more. A routine that takes no further axes runs in a
// loop of its own.
#pragma once

#include <kroton/graph/dependence.hpp>
#include <kroton/graph/lifted.hpp>

namespace kroton::graph {

class lifted_body {
 public:
  /// The iterations of `loop` are `count`.
  constexpr lifted_body(graph& g, int loop, extent_code count) : g_(g), loop_(loop), count_(count) {}

  /// All rows (count, ...) of a value of the body.
  constexpr term rows(term value) {
    const int last = value.id;
    live_ = needed_nodes(g_, last, true);
    carried_ = carried_among(g_, live_);
    rows_ = array_list<int>(last + 1, -1);
    varies_ = array_list<bool>(last + 1, false);
    for (int id = 0; id <= last; ++id) varies_[id] = live_[id] && (g_.nodes[id].loops & set_of_loop(loop_)) != 0;
    spread_among(g_, live_, carried_, varies_, [](const node&) { return true; });
    for (int id = 0; id <= last; ++id)
      if (live_[id] && varies_[id]) rows_[id] = made(id).id;
    return all_rows(lifted_value(last), count_);
  }

 private:
  graph& g_;
  int loop_;
  extent_code count_;
  array_list<bool> live_, varies_;    // of nodes: whether the value needs them, and whether iterations differ in them
  array_list<int> rows_;              // of each node that varies
  array_list<carried_pair> carried_;  // of the loops in the body
  struct moved_loop {
    int from, to;
  };
  array_list<moved_loop> loops_;  // in the body, and what they are afterwards
  struct moved_variable {
    int loop, number, to;
  };
  array_list<moved_variable> variables_;  // of loops around the body

  constexpr lifted_operand lifted_value(int id) const {
    return varies_[id] ? lifted_operand{{&g_, rows_[id]}, true} : lifted_operand{{&g_, id}, false};
  }
  constexpr term rows_of_operand(int id, int i) { return all_rows(lifted_value(g_.operand(id, i)), count_); }

  constexpr term made(int id) {
    const node n = g_.nodes[id];
    const shape row = g_.shapes[n.shape];  // a copy, because new nodes move the graph's shapes
    switch (n.op->kind) {
      case op_kind::loop_row: return of_row(id);
      case op_kind::loop_carried: return of_carried(id);
      case op_kind::loop_rows:
      case op_kind::loop_last: return of_result(id);
      case op_kind::custom_gradient: return of_custom(id);
      default: break;
    }
    if (row.rank == max_rank) {
      g_.report({.what = mistake::many_axes, .operation = n.op->name});
      return {&g_, id};
    }
    array_list<lifted_operand> operands;
    for (int i = 0; i < n.count; ++i) operands.push_back(lifted_value(g_.operand(id, i)));
    if (n.op->kind != op_kind::routine) return lifted(g_, n, row, operands);
    if (n.op->routine->is_along_axis) {
      along_form form = along_form::of(n.attr);
      ++form.axis;
      return {&g_, g_.add(n.op, n.type, g_.intern(rows_of(count_, row)), form, &operands[0].value.id, 1)};
    }
    return in_loop(n, operands);
  }
  constexpr const custom_rule& rule_of(const node& n) const { return g_.custom_rules[custom_form::of(n.attr).number]; }
  constexpr term of_custom(int id) {
    const custom_rule rule = rule_of(g_.nodes[id]);
    array_list<term> x, gradients;
    for (int i = 1; i < g_.nodes[id].count; ++i) {
      x.push_back(rows_of_operand(id, i));
      gradients.push_back(all_rows(lifted_value(rule.gradients[i - 1]), count_));
    }
    const term y = rows_of_operand(id, 0);
    const term arriving = varies_[rule.arriving] ? term{&g_, rows_[rule.arriving]} : arriving_gradient(y);
    return custom_gradient_term(y, x, arriving, gradients, rule.is_recomputed, rule.is_exact);
  }
  /// The rows of an operation, made one after the other.
  constexpr term in_loop(const node& n, const array_list<lifted_operand>& operands) {
    loop_set around = 0;
    for (const lifted_operand& x : operands) around |= x.value.get().loops;
    const int own = g_.new_loop_in(around == 0 ? -1 : innermost(around));
    array_list<int> ids;
    for (const lifted_operand& x : operands)
      ids.push_back(x.has_rows ? loop_row_term(x.value, {own, false, 0}).id : x.value.id);
    const int each = g_.add(n.op, n.type, n.shape, n.attr, ids.begin(), ids.size());
    return carried_variables(g_, own, count_).rows({&g_, each});
  }

  constexpr term of_row(int id) {
    loop_row_form form = loop_row_form::of(g_.nodes[id].attr);
    if (form.loop == loop_) return operand(id, 0);
    form.loop = moved(form.loop);
    const lifted_operand x = lifted_value(g_.operand(id, 0));
    if (x.has_rows) return loop_row_term(with_first_axes_swapped(x.value), form);
    return all_rows({loop_row_term(x.value, form), false}, count_);
  }
  constexpr term of_carried(int id) {
    loop_carried_form form = loop_carried_form::of(g_.nodes[id].attr);
    form.number = moved_number(form.loop, form.number);
    form.loop = moved(form.loop);
    return loop_carried_term(with_first_axes_swapped(rows_of_operand(id, 0)), form);
  }
  constexpr term of_result(int id) {
    const node n = g_.nodes[id];
    const loop_result_form form = loop_result_form::of(n.attr);
    carried_variables all(g_, moved(form.loop), form.iterations);
    array_list<carried_pair> read;  // a loop may have others, which were recorded later
    note_carried(read, g_, id);
    int own = 0;  // that of which the last value is wanted
    for (const carried_pair& pair : read) {
      const term carried = lifted_value(pair.carried).value;
      const int number =
          all.add(carried, varies_[pair.carried] ? all_rows(lifted_value(pair.next), count_) : term{&g_, pair.next});
      if (n.op->kind == op_kind::loop_last && is_value_of(g_.nodes[g_.operand(id, 0)], pair.loop, pair.number))
        own = number;
    }
    if (n.op->kind == op_kind::loop_last) return all.last(own, loop_last_form::of(n.attr).back);
    const term value = rows_of_operand(id, 0);
    if (value.rank() == max_rank) {
      g_.report({.what = mistake::many_axes, .operation = "scan"});
      return {&g_, id};
    }
    return with_first_axes_swapped(all.rows(value, loop_rows_form::of(n.attr).reversed));
  }

  constexpr term operand(int id, int i) const { return {&g_, g_.operand(id, i)}; }
  constexpr bool is_in_body(int loop) const { return (g_.with_outer(loop) & set_of_loop(loop_)) != 0; }
  /// The loop that a loop becomes: a new one, if it is in the body.
  constexpr int moved(int loop) {
    if (!is_in_body(loop)) return loop;
    for (const moved_loop& m : loops_)
      if (m.from == loop) return m.to;
    const int outer = g_.loops[loop];
    const int to = g_.new_loop_in(outer == loop_ ? g_.loops[loop_] : moved(outer), g_.steps_back[loop]);
    const int guard = g_.guards[loop];  // a loop that some slices run and others do not runs for all
    if (guard >= 0 && !(guard < varies_.size() && varies_[guard])) g_.guards[to] = guard;
    loops_.push_back({loop, to});
    return to;
  }
  /// The number of a variable of a loop around the body, which has another variable of that number; others keep theirs.
  constexpr int moved_number(int loop, int number) {
    if (is_in_body(loop)) return number;
    for (const moved_variable& v : variables_)
      if (v.loop == loop && v.number == number) return v.to;
    const int free = next_variable(g_, loop);
    variables_.push_back({loop, number, free});
    return free;
  }
};

}  // namespace kroton::graph
