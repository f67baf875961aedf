// This header gives a value gradients that are computed from a second run of what computed it, so that the first run
// keeps nothing for them.
//
//     %2 = dot(%0, %1), %3 = tanh(%2)
//       ->  %4 = arriving_gradient(%3), %5 = after(%4 is known, %0), %6 = after(%4 is known, %1),
//           %7 = dot(%5, %6), %8 = tanh(%7), the gradients of %5 and %6 where %4 arrives at %8, and
//           %20 = custom_gradient(%3, %0, %1) with these gradients
#pragma once

#include <kroton/graph/gradient.hpp>

namespace kroton::graph {

/// `y`, of which the nodes from `first` on are computed again for its gradients.
constexpr term rematerialised(term y, int first, unsigned line) {
  graph& g = *y.owner;
  if (g.is_sketch || y.id < first) return y;
  array_list<int> roots;
  roots.push_back(y.id);
  const array_list<bool> is_needed = needed_nodes(g, roots, [&](int id) { return id < first; });
  array_list<int> from;  // what is kept
  for (int id = first - 1; id >= 0; --id)
    if (is_needed[id] && is_floating(g.nodes[id].type) && g.nodes[id].op->kind != op_kind::constant) from.push_back(id);
  if (from.empty()) return y;
  const term arriving = arriving_gradient(y);
  const term known = any(isnan(arriving));
  array_list<replacement> again;
  array_list<term> variables;
  for (const int id : from) {
    variables.push_back(after_term(known, {&g, id}));
    again.push_back({id, variables.back().id});
  }
  const term second{&g, substitution(g, again, roots)[y.id]};
  const term cost = sum(second * arriving);
  const int checked = g.gradients.size();
  const array_list<term> found = gradients(cost, variables, line);
  const bool is_exact = g.gradients.size() > checked;
  g.gradients.resize(checked, {});  // nobody asked for those of this cost
  array_list<term> kept, gradients_of;
  for (int i = 0; i < from.size(); ++i) {
    if (!found[i].valid()) continue;
    kept.push_back({&g, from[i]});
    gradients_of.push_back(found[i]);
  }
  return kept.empty() ? y : custom_gradient_term(y, kept, arriving, gradients_of, true, is_exact);
}

}  // namespace kroton::graph
