// This header differentiates in reverse mode: it appends the gradients of a scalar to its graph.
//
//     %2 = sum(mul(%0, %0)), with respect to %0  ->  %3 = broadcast(1), %4 = mul(%3, %0), %5 = add(%4, %4)
#pragma once

#include <kroton/graph/loop_gradient.hpp>
#include <kroton/graph/stable_form.hpp>

namespace kroton::graph {

constexpr adjoint backprop::arriving(int x, term contribution) const {
  adjoint result{contribution.id, -1, -1};
  if (seed_.reach < 0) return result;
  const node n = graph_.nodes.items[id_];
  if (n.op->kind == op_kind::map) {
    result.reach = seed_.reach;
    result.pending = n.op->linear ? seed_.pending : seed_.reach;
  } else if (n.op->kind == op_kind::reduce) {
    const shape target = graph_.shape_of(x);  // a copy, because new nodes move the graph's shapes
    result.reach = spread(reach::spread_to(graph_, seed_.reach, id_), reduction_form::of(n.attr).axes, target).id;
    if (!n.op->linear) result.pending = result.reach;
  } else if (!is_source(x)) {
    result.reach = reach::through_views(graph_, contribution.id, seed_.value, seed_.reach);
  }
  return result;
}

constexpr bool backprop::is_gradient_of(int x, term contribution) const {
  if (contribution.type() != graph_.nodes.items[x].type) return false;
  const shape &have = contribution.extents(), &want = graph_.shape_of(x);
  const int offset = have.rank - want.rank;
  if (offset < 0) return false;
  for (int axis = 0; axis < want.rank; ++axis) {
    const extent_code h = have[axis + offset], w = want[axis];
    if (h != w && w != 1 && h >= 0 && (w >= 0 || h == 1)) return false;  // symbols are compared at the call
  }
  return true;
}

constexpr void backprop::add_to_part(term contribution) const {
  if (contribution.type() != result().type()) return report_rule();
  part_->sum = part_->sum.valid() ? part_->sum + contribution : contribution;
}

constexpr void backprop::add(int i, term contribution) {
  if (!wants(i)) return;  // what was added for an earlier call of grad would count twice
  if (part_ != nullptr) return add_to_part(contribution);
  const int x = node_of(i);
  if (!is_gradient_of(x, contribution)) return report_rule();
  add_to(x, arriving(x, contribution));
}

constexpr void backprop::add_where(int i, term condition, term contribution) {
  if (!wants(i)) return;
  if (part_ != nullptr) return add_to_part(where(condition, contribution, 0));
  const int x = node_of(i);
  if (!is_gradient_of(x, contribution)) return report_rule();
  adjoint more = arriving(x, contribution);
  more.pending = reach::both(graph_, more.pending, condition.id);
  more.reach = is_source(x) ? -1 : reach::both(graph_, more.reach, condition.id);
  add_to(x, more);
}

constexpr void backprop::add_to(int x, adjoint more) {
  const node* nodes = graph_.nodes.items;
  if (nodes[more.value].shape != nodes[x].shape) {
    const shape want = graph_.shape_of(x);  // a copy, because new nodes move the graph's shapes
    more = reach::summed_to(graph_, more, want, is_source(x));
  }
  add_adjoint(graph_, *found_, x, more);
}

constexpr void add_adjoint(graph& g, cost_adjoints& found, int x, adjoint more) {
  if (leaves_loop(g, found, x, more.value)) {
    const term value = reach::selected(g, more);
    return found.reversals[found.open].contributions.push_back({x, value.id, -1});
  }
  if (found.adjoints.items[x] != cost_adjoints::none) more = reach::sum(g, found.at(x), more);
  found.set(x, more);
}

/// Whether `cost` depends on node `id`, not counting what goes through kt::disconnected_grad.
constexpr bool is_connected(term cost, int id) {
  const graph& g = *cost.owner;
  if (id > cost.id) return false;
  array_list<bool> connected(cost.id + 1, false);
  connected[cost.id] = true;
  for (int reader = cost.id; reader > id; --reader)
    if (connected[reader] && g.nodes[reader].op->id != id_of<ops::disconnected_grad>)
      for (int i = 0; i < g.nodes[reader].count; ++i) connected[g.operand(reader, i)] = true;
  return connected[id];
}

/// Finds the gradients of one cost, for one list of variables after the other. Gradients
/// of earlier lists are not computed again, so that a model whose variables are asked for one by one is differentiated
/// in linear time.
class reverse_mode {
 public:
  constexpr reverse_mode(graph& g, cost_adjoints& found) : g_(g), s_(found), loops_(g, found) {}

  /// Begins with a cost whose stable form is the node `stable`.
  constexpr void begin(int cost, term stable) {
    const int last = stable.id;
    s_.cost = cost;
    s_.stable = last;
    s_.order = node_ordering::run(g_, last);
    s_.needed.resize(last + 1, false);
    s_.fresh.resize(last + 1, false);
    s_.adjoints.resize(last + 1, cost_adjoints::none);
    s_.last_reader.resize(last + 1, -1);
    s_.adjoints[last] = constant(g_, stable.type(), 1).id;
    const node* nodes = g_.nodes.items;
    const int* operands = g_.operands.items;
    array_list<bool> live(last + 1, false);
    bool* is_live = live.items;
    int* last_reader = s_.last_reader.items;
    int count = 0;
    s_.links.resize(g_.operands.size());
    cost_adjoints::link* links = s_.links.items;
    is_live[last] = true;
    for (int id = last; id >= 0; --id) {
      if (!is_live[id]) continue;
      if (is_loop_result(nodes[id].op->kind)) note_carried(s_.carried, g_, id);
      for (int i = nodes[id].first, past = i + nodes[id].count; i < past; ++i) {
        const int x = operands[i];
        is_live[x] = true;
        links[count] = {id, last_reader[x]};
        last_reader[x] = count++;
      }
    }
  }

  /// Adds up the gradients with respect to `variables`. `line` is that of the user's call.
  constexpr void find(const array_list<term>& variables, unsigned line) {
    const int words = s_.stable / 64 + 1;
    array_list<std::uint64_t> reached(words, 0),
        waiting(words, 0);  // bits of nodes: the newly needed ones, and their readers
    array_list<int> begun;
    std::uint64_t *is_reached = reached.items, *is_waiting = waiting.items;
    bool *needed = s_.needed.items, *fresh = s_.fresh.items;
    const node* nodes = g_.nodes.items;
    const cost_adjoints::link* links = s_.links.items;
    const int* last_reader = s_.last_reader.items;
    const node_positions& order = s_.order;
    int lowest = words;  // a word of nodes that were reached from later ones
    const auto need = [&](int id) {
      needed[id] = fresh[id] = true;
      const int at = order.of(id);
      is_reached[at / 64] |= std::uint64_t{1} << (at % 64);
      if (at / 64 < lowest) lowest = at / 64;
      begun.push_back(id);
    };
    const auto need_and_wait = [&](int id) {
      need(id);
      is_waiting[order.of(id) / 64] |= std::uint64_t{1} << (order.of(id) % 64);
    };
    for (const term& v : variables)
      if (v.id <= s_.stable && !needed[v.id]) need(v.id);
    lowest = words;
    for (int w = 0; w < words; w = lowest < w ? lowest : w + 1, lowest = words)
      while (is_reached[w] != 0) {  // readers come later, but for the carried variables of loops
        const int id = order.at(64 * w + std::countr_zero(is_reached[w]));
        is_reached[w] &= is_reached[w] - 1;
        for (const carried_pair& pair : s_.carried)
          if (pair.next == id && is_floating(nodes[id].type)) loops_.need_carried(pair, need_and_wait);
        for (int l = last_reader[id]; l >= 0; l = links[l].before) {
          const int reader = links[l].reader;
          const int at = order.of(reader);
          const std::uint64_t bit = std::uint64_t{1} << (at % 64);
          if ((is_waiting[at / 64] & bit) != 0) continue;
          const node& n = nodes[reader];
          if (n.op->piecewise_constant || n.op->id == id_of<ops::disconnected_grad> || !is_floating(n.type)) continue;
          is_waiting[at / 64] |= bit;
          if (!needed[reader]) need(reader);
        }
      }
    for (int w = words - 1; w >= 0; --w)
      while (waiting[w] != 0) {
        const int bit = 63 - std::countl_zero(waiting[w]);
        waiting[w] ^= std::uint64_t{1} << bit;
        go_back(order.at(64 * w + bit), line);
      }
    loops_.close_all();
    for (int id : begun) s_.fresh[id] = false;
  }

 private:
  graph& g_;
  cost_adjoints& s_;
  loop_gradients loops_;

  constexpr void go_back(int id, unsigned line) {
    loops_.come_to(id);
    if (s_.adjoints.items[id] == cost_adjoints::none) return;
    if (!g_.loops.empty() && loops_.go_back(id)) return;
    const operation* op = g_.nodes.items[id].op;
    if (!op->differentiable) return g_.report({.what = mistake::no_derivative, .line = line, .operation = op->name});
    adjoint seed = s_.at(id);
    if (op->kind != op_kind::map) seed = {reach::selected(g_, seed).id, seed.reach, -1};
    if (op->kind == op_kind::custom_gradient && !g_.custom_rules[custom_form::of(g_.nodes[id].attr).number].is_exact)
      s_.has_other_gradients = true;
    backprop b(g_, id, seed, s_, line);
    op->backward(b);
  }
};

/// Gradients of the scalar `cost` with respect to `variables`: zeros where it depends on one only through what is
/// piecewise constant (`floor`, comparisons, conversion to integers), an invalid term where it does not depend on one.
/// `line` is that of the user's call.
constexpr array_list<term> gradients(term cost, const array_list<term>& variables, unsigned line = 0) {
  graph& g = *cost.owner;
  if (g.is_sketch) return variables;
  bool are_sources = true;  // the stable form of the cost is the same, whichever of them are asked for
  for (const term& v : variables) are_sources = are_sources && v.get().count == 0;
  cost_adjoints of_expressions;
  cost_adjoints* found = are_sources ? nullptr : &of_expressions;
  for (int i = 0; i < g.differentiated.size() && are_sources; ++i)
    if (g.differentiated[i].cost == cost.id) found = &g.differentiated[i];
  if (found == nullptr) {
    g.differentiated.push_back({});
    found = &g.differentiated.back();
  }
  if (found->cost < 0) reverse_mode(g, *found).begin(cost.id, stable_form(cost, variables));
  reverse_mode(g, *found).find(variables, line);
  const bool are_exact = found->are_exact();
  array_list<term> result;
  for (const term& v : variables) {
    term gradient{&g, -1};
    if (v.id <= found->stable && found->adjoints[v.id] != cost_adjoints::none)
      gradient = reach::selected(g, found->at(v.id));
    if (!gradient.valid() && is_floating(v.type()) && is_connected(cost, v.id)) {
      const shape target = v.extents();  // a copy, because new nodes move the graph's shapes
      gradient = broadcast_term(constant(g, v.type(), 0), target);
    }
    if (gradient.valid() && are_exact) g.gradients.push_back({cost.id, v.id, gradient.id});
    result.push_back(gradient);
  }
  return result;
}

}  // namespace kroton::graph
