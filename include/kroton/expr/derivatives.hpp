// This header has derivatives other than the gradient of a cost: products with a Jacobian, Jacobians, and Hessians.
//
//     kt::jvp(y, x, v)      the derivative of y in the direction v of x, by forward mode
//     kt::vjp(y, g, x)      the gradient that arrives at x where g arrives at y, by reverse mode
//     kt::jacobian(y, x)    (extents of y, extents of x)
//     kt::hvp(cost, x, v)   the Hessian times v
//     kt::hessian(cost, x)  (extents of x, extents of x)
#pragma once

#include <kroton/expr/functions.hpp>
#include <kroton/graph/jacobian.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct jvp;
struct vjp;
struct jacobian;
struct hvp;
struct hessian;
}  // namespace functions

/// What is wrong with `V` as a direction or gradient of `X`.
template <class X, class V>
constexpr complaint direction_problem() {
  if constexpr (!expression<X> || !expression<V>) return complaint::directions;
  else if (!is_floating(dtype_of<typename X::element>)) return complaint::wanted_type;
  else return std::is_same_v<typename X::expression, typename V::expression> ? complaint::none : complaint::directions;
}
template <class X, class V>
struct told_directions {
  static constexpr complaint problem = direction_problem<X, V>();
};
template <>
struct told_directions<parameter_list, gradient_list> {
  static constexpr complaint problem = complaint::none;
};
template <class... X, class... V>
struct told_directions<std::tuple<X...>, std::tuple<V...>> {
  static constexpr complaint problem = [] {
    complaint found = complaint::directions;
    if constexpr (sizeof...(X) == sizeof...(V) && sizeof...(X) > 0) {
      found = complaint::none;
      ((found = found != complaint::none ? found : direction_problem<X, V>()), ...);
    }
    return found;
  }();
};

/// What is wrong with a value that is differentiated.
template <class Y>
constexpr complaint value_problem() {
  if constexpr (!expression<Y>) return complaint::directions;
  else return is_floating(dtype_of<typename Y::element>) ? complaint::none : complaint::wanted_type;
}

/// Appends the nodes of one expression, of several, or of parameters.
template <expression X>
constexpr void add_terms(array_list<term>& list, graph& g, const X& x) {
  list.push_back(typed_layer::term_in(g, x));
}
template <class... X>
constexpr void add_terms(array_list<term>& list, graph& g, const std::tuple<X...>& several) {
  std::apply([&](const auto&... x) { (add_terms(list, g, x), ...); }, several);
}
constexpr void add_terms(array_list<term>& list, graph&, const parameter_list& parameters) {
  for (const term& p : parameters.items) list.push_back(p);
}
constexpr void add_terms(array_list<term>& list, graph&, const gradient_list& gradients) {
  for (const term& t : gradients) list.push_back(t);
}
/// The graph in which a value, what it is differentiated with respect to, and directions meet.
template <class Y, expression X, class V>
constexpr graph& graph_of_derivative(const Y& y, const X& x, const V& v) {
  return *typed_layer::graph_of(y, x, v);
}
template <class Y>
constexpr graph& graph_of_derivative(const Y& y, const parameter_list&, const gradient_list&) {
  return *y.untyped().owner;
}
template <class Y, class... X, class... V>
constexpr graph& graph_of_derivative(const Y& y, const std::tuple<X...>& x, const std::tuple<V...>& v) {
  return *std::apply([](const auto&... each) { return typed_layer::graph_of(each...); },
                     std::tuple_cat(std::tuple{y}, x, v));
}

/// The tangent of node `y`; that a value does not depend on what it is differentiated with respect to is a mistake.
constexpr term tangent_of(term y, const array_list<term>& variables, const array_list<term>& directions,
                          unsigned line) {
  graph& g = *y.owner;
  if (g.is_sketch) return y;
  if (variables.size() != directions.size()) {
    g.report({.what = mistake::gradient_count, .line = line});
    return y;
  }
  const term found = kroton::graph::forward_mode(g, line).run(y, variables, directions);
  if (found.valid()) return found;
  if (!variables.empty()) report_disconnected(variables[0], line);
  return y;
}
/// Whether forward mode finds a Jacobian with fewer products than reverse mode.
template <class Y, class X>
inline constexpr bool is_forward_shorter = [] {
  extent_code of_y = 1, of_x = 1;
  for (int axis = 0; axis < Y::rank; ++axis)
    of_y = typed_extents::multiply(of_y, shape_of_type<typename Y::extents_type>[axis]);
  for (int axis = 0; axis < X::rank; ++axis)
    of_x = typed_extents::multiply(of_x, shape_of_type<typename X::extents_type>[axis]);
  return X::rank == 0 || std::is_same_v<typename Y::extents_type, typename X::extents_type> ||
         (of_y >= 0 && of_x >= 0 && of_x < of_y);
}();
template <class Y, class X>
constexpr complaint jacobian_problem() {
  constexpr complaint of_y = value_problem<Y>(), of_x = value_problem<X>();
  if constexpr (of_y != complaint::none) return of_y;
  else if constexpr (of_x != complaint::none) return of_x;
  else return Y::rank + X::rank > max_rank ? complaint::rank : complaint::none;
}
template <bool IsForward, class Y, class X>
constexpr auto jacobian_of(const Y& y, const X& x, unsigned line) {
  using result = expr<typename Y::element, typename joined<typename Y::extents_type, typename X::extents_type>::type>;
  graph& g = *typed_layer::graph_of(y, x);
  const term of = typed_layer::term_in(g, y), with = typed_layer::term_in(g, x);
  if (!g.is_sketch) {
    const term found = kroton::graph::jacobian_term(of, with, IsForward, line);
    if (found.valid()) return result(found);
    report_disconnected(with, line);
  }
  shape all = of.extents();
  for (int axis = 0; axis < X::rank; ++axis) all.append(with.extents()[axis]);
  return result(broadcast_term(constant(g, of.type(), 0), all));
}
}  // namespace typed

/// The derivative of `y` in the direction `v` of `x`, which has the element type and extents of `x`: how `y` changes to
/// first order where `x` changes by `v`, with the extents of `y`. `kt::jvp(y, x, v)`; with respect to several variables
/// `kt::jvp(y, std::tuple{x, z}, std::tuple{v, w})`, or `parameters()` and a list of gradients. It is found by forward
/// mode, together with `y`: nothing is kept, also not through a loop.
template <class Y, class X, class V>
constexpr auto jvp(const Y& y, const X& x, const V& v, unsigned line = __builtin_LINE()) {
  constexpr typed::complaint of_y = typed::value_problem<Y>();
  constexpr typed::complaint problem = of_y != typed::complaint::none ? of_y : typed::told_directions<X, V>::problem;
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse_with<problem, typed::functions::jvp>(y, x, v);
  } else {
    graph::graph& g = typed::graph_of_derivative(y, x, v);
    graph::array_list<term> variables, directions;
    typed::add_terms(variables, g, x);
    typed::add_terms(directions, g, v);
    return typename Y::expression(typed::tangent_of(typed::typed_layer::term_in(g, y), variables, directions, line));
  }
}

/// The gradient with respect to `x` where the gradient `g` arrives at `y`, which has the element type and extents of
/// `y`: `kt::vjp(y, g, x)` is the gradient of `sum(y * g)`, and changes with `g`, so that it can be differentiated with
/// respect to that as well. With respect to `parameters()`, a list.
template <class Y, class G, class X>
constexpr auto vjp(const Y& y, const G& gradient, const X& x, unsigned line = __builtin_LINE()) {
  constexpr typed::complaint of_y = typed::direction_problem<Y, G>();
  constexpr typed::complaint problem = of_y != typed::complaint::none      ? of_y
                                       : std::is_same_v<X, parameter_list> ? typed::complaint::none
                                                                           : typed::value_problem<X>();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse_with<problem, typed::functions::vjp>(y, gradient, x);
  } else {
    graph::graph& g = *typed::typed_layer::graph_of(y, gradient);
    graph::array_list<term> variables;
    typed::add_terms(variables, g, x);
    graph::array_list<term> found = variables;
    if (!g.is_sketch)
      found = graph::vector_products(typed::typed_layer::term_in(g, y), typed::typed_layer::term_in(g, gradient),
                                     variables, line);
    for (int i = 0; i < found.size(); ++i)
      if (!found[i].valid()) {
        typed::report_disconnected(variables[i], line);
        found[i] = variables[i];
      }
    if constexpr (std::is_same_v<X, parameter_list>) return gradient_list(found, variables);
    else return typename X::expression(found[0]);
  }
}

/// The derivatives of all elements of `y` with respect to all elements of `x`, (extents of y, extents of x):
/// `kt::jacobian(y, x)`. They are found at once, by forward mode if `x` has fewer elements, else by reverse mode.
template <class Y, class X>
constexpr auto jacobian(const Y& y, const X& x, unsigned line = __builtin_LINE()) {
  constexpr typed::complaint problem = typed::jacobian_problem<Y, X>();
  if constexpr (problem != typed::complaint::none) return typed::refuse_with<problem, typed::functions::jacobian>(y, x);
  else return typed::jacobian_of<typed::is_forward_shorter<Y, X>>(y, x, line);
}

/// The Hessian of the scalar `cost` with respect to `x` times `v`, with the extents of `x`: `kt::hvp(cost, x, v)`, by
/// forward mode through the gradient. With respect to `parameters()`, `v` is a list of gradients and so is the result.
template <class C, class X, class V>
constexpr auto hvp(const C& cost, const X& x, const V& v, unsigned line = __builtin_LINE()) {
  constexpr typed::complaint of_cost = typed::grad_problem<C, X>();
  constexpr typed::complaint problem =
      of_cost != typed::complaint::none ? of_cost : typed::told_directions<X, V>::problem;
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse_with<problem, typed::functions::hvp>(cost, x, v);
  } else if constexpr (std::is_same_v<X, parameter_list>) {
    gradient_list list = grad(cost, x, line);
    for (term& t : list) t = typed::tangent_of(t, x.items, v, line);
    return list;
  } else {
    return jvp(grad(cost, x, line), x, v, line);
  }
}

/// The second derivatives of the scalar `cost`, (extents of x, extents of x): `kt::hessian(cost, x)`, by forward mode
/// through the gradient, in all directions at once.
template <class C, class X>
constexpr auto hessian(const C& cost, const X& x, unsigned line = __builtin_LINE()) {
  constexpr typed::complaint of_cost = typed::grad_problem<C, X>();
  constexpr typed::complaint problem = of_cost != typed::complaint::none ? of_cost : typed::jacobian_problem<X, X>();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse_with<problem, typed::functions::hessian>(cost, x);
  } else {
    return typed::jacobian_of<true>(grad(cost, x, line), x, line);
  }
}

}  // namespace kroton
