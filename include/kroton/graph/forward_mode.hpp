// This header differentiates in forward mode: it appends to a graph the tangent of a value, which is how it changes
// when variables change in given directions.
//
//     %2 = mul(%0, %1), %3 = sum(%2), tangent %4 of %0  ->  %5 = mul(%4, %1), %6 = sum(%5), the tangent of %3
//
// Each kind of operation has its rule. A linear operation is done to the tangents. An elementwise one multiplies them
// by its derivative, which its `backward` has. A routine or a custom gradient, of which only `backward` is known, is
// turned round twice: what `backward` makes of a gradient is linear in that, and the gradient of it is the tangent.
//
// The tangents of a loop are carried in the loop itself, beside the values: nothing is kept for them.
#pragma once

#include <kroton/graph/gradient.hpp>

namespace kroton::graph {

class forward_mode {
 public:
  /// `line`: of the user's call, for mistakes.
  constexpr forward_mode(graph& g, unsigned line) : g_(g), line_(line) {}

  /// The tangent of `y` where `variables` have the tangents `directions`: zeros where it depends on them only through
  /// what is piecewise constant, an invalid term if it depends on none.
  constexpr term run(term y, array_list<term> variables, const array_list<term>& directions) {
    if (runs_outside(y)) y = run_again(y, variables);
    const int last = stable_form(y, variables).id;
    tangents_.resize(last + 1, -1);
    for (int i = 0; i < variables.size(); ++i)
      if (variables[i].id <= last) tangents_[variables[i].id] = directions[i].id;
    find_active(last);
    for (int id = 0; id <= last; ++id)
      if (active_[id] && tangents_[id] < 0) tangents_[id] = of(id).id;
    if (tangents_[last] >= 0) return {&g_, tangents_[last]};
    for (const term& v : variables)
      if (is_connected(y, v.id)) return tangent(last);
    return {};
  }

 private:
  graph& g_;
  unsigned line_;
  array_list<bool> active_;  // of nodes: whether the value depends on them and they have a tangent
  array_list<int> tangents_;
  array_list<carried_pair> carried_;  // of all loops that the value depends on
  struct variable {
    int loop, number;  ///< of the variable whose tangent it is
    int own_number;
  };
  array_list<variable> variables_;

  /// Whether a value has loops that are not in the body that is being recorded. Their tangents may differ from one
  /// iteration of that to the next.
  constexpr bool runs_outside(term y) const {
    const loop_set open = g_.with_outer(g_.open_loop) & ~g_.lifted_loops;
    if (open == 0) return false;
    const array_list<bool> is_needed = needed_nodes(g_, y.id);
    for (int id = 0; id <= y.id; ++id) {
      const node& n = g_.nodes[id];
      if (is_needed[id] && is_loop_result(n.op->kind) &&
          (open & ~g_.with_outer(loop_row_form::loop_number(n.attr))) != 0)
        return true;
    }
    return false;
  }
  /// `y`, computed again in the body that is being recorded, from `variables`, which become other nodes of their
  /// values.
  constexpr term run_again(term y, array_list<term>& variables) {
    array_list<replacement> again;
    for (term& v : variables) {
      const term same = arriving_gradient(v);
      again.push_back({v.id, same.id});
      v = same;
    }
    array_list<int> roots;
    roots.push_back(y.id);
    return {&g_, substitution(g_, again, roots)[y.id]};
  }

  constexpr void find_active(int last) {
    array_list<int> roots;
    roots.push_back(last);
    const array_list<bool> live = needed_nodes(g_, roots, [&](int id) { return tangents_[id] >= 0; });
    carried_ = carried_among(g_, live);
    active_.resize(last + 1, false);
    for (int id = 0; id <= last; ++id) active_[id] = live[id] && tangents_[id] >= 0;
    spread_among(g_, live, carried_, active_, [](const node& n) {
      return is_floating(n.type) && !n.op->piecewise_constant && n.op->id != id_of<ops::disconnected_grad>;
    });
  }

  /// The tangent of node `id`; zeros, if it has none.
  constexpr term tangent(int id) {
    if (tangents_[id] >= 0) return {&g_, tangents_[id]};
    const node n = g_.nodes[id];
    const shape target = g_.shapes[n.shape];  // a copy, because new nodes move the graph's shapes
    return broadcast_term(constant(g_, n.type, 0), target);
  }
  constexpr term operand(int id, int i) const { return {&g_, g_.operand(id, i)}; }

  constexpr term of(int id) {
    const node n = g_.nodes[id];
    switch (n.op->kind) {
      case op_kind::map:
        return n.op->id == id_of<ops::cast> || n.op->id == id_of<ops::where> ? of_linear(id) : of_map(id);
      case op_kind::reduce: return n.op->id == id_of<ops::sum> ? of_linear(id) : of_reduction(id);
      case op_kind::dot: return of_product(id);
      case op_kind::routine: return of_routine(id);
      case op_kind::custom_gradient:
        return g_.custom_rules[custom_form::of(n.attr).number].is_recomputed ? tangent(g_.operand(id, 0))
                                                                             : of_routine(id);
      case op_kind::loop_carried: return of_carried(id);
      case op_kind::loop_rows:
      case op_kind::loop_last: return of_result(id);
      default: return of_linear(id);
    }
  }
  constexpr term of_linear(int id) {
    const node n = g_.nodes[id];
    array_list<int> operands;
    for (int i = 0; i < n.count; ++i) {
      const int x = g_.operand(id, i);
      operands.push_back(is_floating(g_.nodes[x].type) ? tangent(x).id : x);
    }
    return {&g_, g_.add(n.op, n.type, n.shape, n.attr, operands.begin(), n.count)};
  }
  constexpr term of_map(int id) {
    const node n = g_.nodes[id];
    const shape target = g_.shapes[n.shape];
    if (n.op->id == id_of<ops::grad_clip>) return tangent(g_.operand(id, 0));
    term sum;
    for (int i = 0; i < n.count; ++i) {
      const int x = g_.operand(id, i);
      bool is_repeated = false;
      for (int j = 0; j < i; ++j) is_repeated = is_repeated || g_.operand(id, j) == x;
      if (!active_[x] || is_repeated) continue;
      const term part = applied(id, x, tangent(x));
      if (part.valid()) sum = sum.valid() ? sum + part : part;
    }
    return sum.valid() ? broadcast_term(sum, target) : tangent(id);
  }
  /// Whether the operation of node `id` has a derivative; that it has none is reported.
  constexpr bool has_derivative(int id) const {
    const operation* op = g_.nodes[id].op;
    if (!op->differentiable) g_.report({.what = mistake::no_derivative, .line = line_, .operation = op->name});
    return op->differentiable;
  }
  /// What `backward` of node `id` makes of `seed` for operand `x`.
  constexpr term applied(int id, int x, term seed) {
    tangent_part part{x, {}};
    if (has_derivative(id)) {
      backprop b(g_, id, seed, part, line_);
      g_.nodes[id].op->backward(b);
    }
    return part.sum;
  }
  /// The sum of the tangents times the slopes. An element with no slope has no part in it, even if its tangent is
  /// infinite.
  constexpr term of_reduction(int id) {
    const node n = g_.nodes[id];
    const shape target = g_.shapes[n.shape];
    const int x = g_.operand(id, 0);
    const term slope = applied(id, x, broadcast_term(constant(g_, n.type, 1), target));
    if (!slope.valid()) return tangent(id);
    return cast(reduce_term<ops::sum>(where(slope == 0, 0, slope * tangent(x)), reduction_form::of(n.attr).axes),
                n.type);
  }
  constexpr term of_product(int id) {
    const term x = operand(id, 0), y = operand(id, 1);
    term sum;
    if (active_[x.id]) sum = dot_term(tangent(x.id), y);
    if (!active_[y.id]) return sum;
    const term right = dot_term(x, tangent(y.id));
    return sum.valid() ? sum + right : right;
  }
  constexpr term of_routine(int id) {
    const node n = g_.nodes[id];
    const term seed = disconnected_term({&g_, id});  // a node that nothing else depends on
    term cost;
    for (int i = n.op->kind == op_kind::custom_gradient ? 1 : 0; i < n.count; ++i) {
      const int x = g_.operand(id, i);
      if (!active_[x]) continue;
      const term part = gradient_part(id, x, seed);
      if (!part.valid()) continue;
      const term changed = part * tangent(x);
      cost = cost.valid() ? cost + sum(changed) : sum(changed);
    }
    if (!cost.valid()) return tangent(id);
    array_list<term> wanted;
    wanted.push_back(seed);
    cost_adjoints found;
    reverse_mode(g_, found).begin(cost.id, cost);
    reverse_mode(g_, found).find(wanted, line_);
    return found.adjoints[seed.id] == cost_adjoints::none ? tangent(id) : reach::selected(g_, found.at(seed.id));
  }
  /// What `backward` of node `id` adds to the gradient of operand `x` where `seed` arrives.
  constexpr term gradient_part(int id, int x, term seed) {
    if (!has_derivative(id)) return {};
    cost_adjoints found;
    found.fresh.resize(id + 1, false);
    found.adjoints.resize(id + 1, cost_adjoints::none);
    found.fresh[x] = true;
    backprop b(g_, id, adjoint{seed.id, -1, -1}, found, line_);
    g_.nodes[id].op->backward(b);
    return found.adjoints[x] == cost_adjoints::none ? term{} : reach::selected(g_, found.at(x));
  }

  constexpr int number_of(int loop, int number) {
    for (const variable& v : variables_)
      if (v.loop == loop && v.number == number) return v.own_number;
    const int free = next_variable(g_, loop);
    variables_.push_back({loop, number, free});
    return free;
  }
  constexpr term of_carried(int id) {
    const loop_carried_form form = loop_carried_form::of(g_.nodes[id].attr);
    return loop_carried_term(tangent(g_.operand(id, 0)),
                             {form.loop, number_of(form.loop, form.number), form.back, form.kept});
  }
  constexpr term of_result(int id) {
    const node n = g_.nodes[id];
    const loop_result_form form = loop_result_form::of(n.attr);
    carried_variables all(g_, form.loop, form.iterations);
    int own = 0;  // that of which the last value is wanted
    for (const carried_pair& pair : carried_) {
      if (pair.loop != form.loop) continue;
      all.add({&g_, pair.carried}, {&g_, pair.next});
      // a variable that was recorded later, such as an earlier tangent, has nothing to do with this result
      if (!active_[pair.carried] || tangents_[pair.carried] < 0 || tangents_[pair.next] < 0) continue;
      const int number = all.add(tangent(pair.carried), tangent(pair.next));
      if (n.op->kind == op_kind::loop_last && is_value_of(g_.nodes[g_.operand(id, 0)], pair.loop, pair.number))
        own = number;
    }
    if (n.op->kind == op_kind::loop_rows)
      return all.rows(tangent(g_.operand(id, 0)), loop_rows_form::of(n.attr).reversed);
    return all.last(own, loop_last_form::of(n.attr).back);
  }
};

}  // namespace kroton::graph
