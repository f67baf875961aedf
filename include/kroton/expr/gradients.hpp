// This header has what stands in for a cost: kt::known_grads, and what a cost is differentiated without:
// kt::consider_constant.
#pragma once

#include <kroton/expr/functions.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct known_grads;
struct consider_constant;
}  // namespace functions

/// `cost` with the nodes `fixed`, and whatever is computed from them, as nodes through which no gradient flows.
constexpr term held_constant(term cost, const array_list<int>& fixed) {
  graph& g = *cost.owner;
  array_list<given_entry> held;
  for (const int id : fixed) held.push_back({id, disconnected_term({&g, id}).id});
  return {&g, replaced(g, cost.id + 1, held)[cost.id]};
}
/// The nodes of what is to be constant: an expression, or parameters.
constexpr void add_nodes(array_list<int>& nodes, graph&, const parameter_list& parameters) {
  for (const term& p : parameters.items) nodes.push_back(p.id);
}
template <expression X>
constexpr void add_nodes(array_list<int>& nodes, graph& g, const X& x) {
  nodes.push_back(typed_layer::term_in(g, x).id);
}
}  // namespace typed

/// A scalar whose gradient with respect to `y` is `gradient`, which has the element type and extents of `y`: where the
/// gradient of a cost that is computed elsewhere is known, `kt::grad(kt::known_grads(y, gradient), x)` goes on from
/// there. Several are added, also to a cost: `kt::grad(cost + kt::known_grads(y, gradient), x)`.
template <class Y, class G>
constexpr auto known_grads(const Y& y, const G& gradient) {
  if constexpr (!expression<Y> || !expression<G>) {
    typed::reject<typed::foreign_layer::problem<Y, G>, typed::functions::known_grads, Y, G>();
    return typed::foreign_layer::stand_in<typed::functions::known_grads>(y, gradient);
  } else if constexpr (!std::is_same_v<typename Y::expression, typename G::expression>) {
    typed::reject<typed::complaint::given, typed::functions::known_grads, typename Y::expression,
                  typename G::expression>();
    return typed::typed_layer::refused<expr<typename Y::element, extents<>>>(y, gradient);
  } else if constexpr (!is_floating(dtype_of<typename Y::element>)) {
    typed::reject<typed::complaint::wanted_type, typed::functions::known_grads, typename Y::expression>();
    return typed::typed_layer::refused<expr<typename Y::element, extents<>>>(y);
  } else {
    return sum(y * disconnected_grad(gradient));
  }
}

/// `cost`, of which gradients do not go through the expressions or lists of parameters `constants`:
/// `kt::grad(kt::consider_constant(cost, target), x)`. Its value is that of `cost`.
template <class C, class... X>
constexpr auto consider_constant(const C& cost, const X&... constants) {
  if constexpr (!expression<C> || !((expression<X> || std::is_same_v<X, parameter_list>)&&...)) {
    typed::reject<typed::complaint::grad_operands, typed::functions::consider_constant, C, X...>();
    return typed::foreign_layer::stand_in<typed::functions::consider_constant>(cost);
  } else {
    const term of = cost.untyped();
    graph::array_list<int> fixed;
    (typed::add_nodes(fixed, *of.owner, constants), ...);
    return typename C::expression(typed::held_constant(of, fixed));
  }
}

}  // namespace kroton
