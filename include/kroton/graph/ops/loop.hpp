// This header has the operations of loops. The body of a loop is recorded once, as nodes among the others: those that
// depend on a row of a sequence, or on a variable that the loop carries from one iteration to the next.
//
//     h = scan((x, h) -> tanh(x + h)), sequence %0 (n, 8), begins as %1 (1, 8), loop 0
//       %2 = loop_row(%0)             (8)     in loop 0: row t of %0 in iteration t
//       %3 = loop_carried(%1)         (8)     in loop 0: %5 of the iteration before, %1 in the first
//       %4 = add(%2, %3), %5 = tanh(%4)       in loop 0, as they depend on what is
//       %6 = loop_rows(%5, %3, %5)    (n, 8)  in no loop: %5 of each iteration
//       %7 = loop_last(%3, %5)        (8)     in no loop: %5 of the last iteration
//
// So every pass sees a body as it sees all nodes, and what depends on no iteration is computed once, wherever it was
// written. A result names each carried variable that it depends on, and the new value of that: nodes of one graph
// follow their operands, and nothing else leads back.
#pragma once

#include <kroton/graph/ops/cast.hpp>
#include <kroton/graph/ops/concatenate.hpp>
#include <kroton/graph/ops/equal.hpp>
#include <kroton/graph/ops/where.hpp>
#include <kroton/graph/reduction.hpp>

namespace kroton {

namespace ops {
/// Operand: a tensor of at least one axis. Result: one of its rows. Attributes: loop_row_form.
struct loop_row {
  static constexpr op_kind kind = op_kind::loop_row;
  static constexpr const char* name = "loop_row";
};
/// Operand: what the variable is before the first iteration, the oldest value first (kept, ...). Result: one of its
/// values. Attributes: loop_carried_form.
struct loop_carried {
  static constexpr op_kind kind = op_kind::loop_carried;
  static constexpr const char* name = "loop_carried";
};
/// Operands: a value of the body, for each carried variable that it depends on the variable and its new value, and
/// perhaps a guard, a scalar of bool. Result: the values of all iterations (iterations, ...), undefined where the guard
/// does not hold, because the loop does not run then. Attributes: loop_rows_form.
struct loop_rows {
  static constexpr op_kind kind = op_kind::loop_rows;
  static constexpr const char* name = "loop_rows";
};
/// Operands: a carried variable and its new value, and the same of each that it depends on. Result: its last value.
/// Attributes: loop_last_form.
struct loop_last {
  static constexpr op_kind kind = op_kind::loop_last;
  static constexpr const char* name = "loop_last";
};
}  // namespace ops

namespace graph {

/// The shape of a row, and that of `count` rows.
constexpr shape row_of(const shape& s) { return reduced(s, 1); }
constexpr shape rows_of(extent_code count, const shape& row) {
  shape s = with_ones(row, 1);
  s[0] = count;
  return s;
}

/// The position of the first carried variable among the operands of a result. The new value of each follows it.
constexpr int first_carried(op_kind result) { return result == op_kind::loop_rows ? 1 : 0; }

/// The guard among the operands of a result, -1: the loop always runs.
template <class Graph>
constexpr int guard_of(const Graph& g, const node& result) {
  const bool has_guard = result.op->kind == op_kind::loop_rows && result.count % 2 == 0;
  return has_guard ? g.operands[result.first + result.count - 1] : -1;
}
/// Whether a node is what an iteration of a loop is given: a row, or a value of a carried variable.
constexpr bool begins_body(const node& n, int loop) {
  return (n.op->kind == op_kind::loop_row || n.op->kind == op_kind::loop_carried) &&
         loop_row_form::loop_number(n.attr) == loop;
}
/// Whether a node has a value of carried variable `number` of a loop.
constexpr bool is_value_of(const node& n, int loop, int number) {
  if (n.op->kind != op_kind::loop_carried) return false;
  return loop_carried_form::of(n.attr).is_of({.loop = loop, .number = number, .back = 0, .kept = 0});
}
/// The number of a further carried variable of a loop.
constexpr int next_variable(const graph& g, int loop) {
  int next = 0;
  for (const node& n : g.nodes)
    if (n.op->kind == op_kind::loop_carried)
      if (const loop_carried_form form = loop_carried_form::of(n.attr); form.loop == loop && form.number >= next)
        next = form.number + 1;
  return next;
}

/// Notes the carried variables of a result, those that are not `known`.
template <class Graph>
constexpr void note_carried(array_list<carried_pair>& known, const Graph& g, int result) {
  const node& n = g.nodes[result];
  for (int i = first_carried(n.op->kind); i + 1 < n.count; i += 2) {
    const int carried = g.operands[n.first + i];
    const loop_carried_form form = loop_carried_form::of(g.nodes[carried].attr);
    bool is_known = false;
    for (const carried_pair& pair : known)
      is_known = is_known || (pair.loop == form.loop && pair.number == form.number);
    if (!is_known) known.push_back({form.loop, form.number, carried, g.operands[n.first + i + 1]});
  }
}

constexpr term loop_row_term(term x, const loop_row_form& form) {
  return graph_layer::record<ops::loop_row>(*x.owner, x.type(), row_of(x.extents()), form, &x.id, 1);
}
constexpr term loop_carried_term(term initial, const loop_carried_form& form) {
  return graph_layer::record<ops::loop_carried>(*initial.owner, initial.type(), row_of(initial.extents()), form,
                                                &initial.id, 1);
}

/// The carried variables of one loop, each with its new value.
class carried_variables {
 public:
  struct variable {
    int carried, next;  ///< nodes: its value before an iteration, and after it
  };
  constexpr explicit carried_variables(graph& g, int loop, extent_code iterations)
      : graph_(g), loop_(loop), iterations_(iterations) {}

  /// Returns the number of the variable among these.
  constexpr int add(term carried, term next) {
    variables_.push_back({carried.id, next.id});
    return variables_.size() - 1;
  }

  /// What iterations make of a node of the body: a row for each of them, and zeros if a guard keeps the loop from
  /// running.
  constexpr term rows(term value, bool reversed = false) const {
    const bool has_guard = loop_ < graph_.guards.size() && graph_.guards[loop_] >= 0;
    if (has_guard && value.type() == dtype::boolean)  // what is not written need not be a truth value
      return rows(cast(value, dtype::int8), reversed) == 1;
    array_list<int> operands;
    operands.push_back(value.id);
    append_variables(operands, value.id, -1);
    const int guard = has_guard ? graph_.guards[loop_] : -1;
    if (guard >= 0) operands.push_back(guard);
    const shape s = rows_of(iterations_, value.extents());
    const term rows = graph_layer::record<ops::loop_rows>(
        graph_, value.type(), s, loop_rows_form{loop_, reversed, iterations_}, operands.begin(), operands.size());
    return guard < 0 ? rows : where(term{&graph_, guard}, rows, 0);
  }
  /// All values of the variable that node `carried` is a value of: what it begins with, and each new one.
  constexpr term history(int carried) const {
    int next = carried;
    for (const variable& v : variables_)
      if (form_of(v.carried).is_of(form_of(carried))) next = v.next;
    const term parts[] = {{&graph_, graph_.operand(carried, 0)}, rows({&graph_, next})};
    return concatenate_term(parts, 2, 0);
  }
  /// The value that carried variable `i` has after the last iteration.
  constexpr term last(int i, int back = 1) const {
    array_list<int> operands;
    append(operands, variables_[i]);
    append_variables(operands, variables_[i].next, i);
    const term carried{&graph_, variables_[i].carried};
    const shape s = carried.extents();  // a copy, because new nodes move the graph's shapes
    return graph_layer::record<ops::loop_last>(graph_, carried.type(), s, loop_last_form{loop_, back, iterations_},
                                               operands.begin(), operands.size());
  }

 private:
  graph& graph_;
  int loop_;
  extent_code iterations_;
  array_list<variable> variables_;

  constexpr loop_carried_form form_of(int carried) const { return loop_carried_form::of(graph_.nodes[carried].attr); }
  static constexpr void append(array_list<int>& operands, const variable& v) {
    operands.push_back(v.carried);
    operands.push_back(v.next);
  }
  /// Appends the variables on which node `value` depends, but for variable `left_out`.
  constexpr void append_variables(array_list<int>& operands, int value, int left_out) const {
    array_list<bool> depends(graph_.size(), false), is_read(variables_.size(), false);
    depends[value] = true;
    if (left_out >= 0) is_read[left_out] = true;
    for (bool found = true; found;) {
      found = false;
      for (int id = graph_.size() - 1; id >= 0; --id) {
        if (!depends[id] || (graph_.nodes[id].loops & set_of_loop(loop_)) == 0) continue;
        for (int i = 0; i < graph_.nodes[id].count; ++i) depends[graph_.operand(id, i)] = true;
      }
      for (int i = 0; i < variables_.size(); ++i) {
        if (is_read[i] || !reads(depends, variables_[i].carried)) continue;
        is_read[i] = found = true;
        depends[variables_[i].next] = true;
      }
    }
    for (int i = 0; i < variables_.size(); ++i)
      if (is_read[i] && i != left_out) append(operands, variables_[i]);
  }
  /// Whether a value of the variable whose newest one is node `carried` is among `depends`.
  constexpr bool reads(const array_list<bool>& depends, int carried) const {
    const loop_carried_form mine = form_of(carried);
    for (int id = 0; id < depends.size(); ++id) {
      const node& n = graph_.nodes[id];
      if (depends[id] && n.op->kind == op_kind::loop_carried && loop_carried_form::of(n.attr).is_of(mine)) return true;
    }
    return false;
  }
};

}  // namespace graph
}  // namespace kroton
