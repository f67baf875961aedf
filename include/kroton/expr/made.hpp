// This header makes tensors of nothing: kt::zeros, ones, full, arange, eye, and the value of an extent. They start
// loops, count positions, and stand beside arguments; see graph/import.hpp.
#pragma once

#include <kroton/expr/foreign.hpp>
#include <kroton/expr/typed_shapes.hpp>

namespace kroton {

namespace functions {  // names for error messages
struct full;
struct zeros;
struct ones;
struct arange;
struct eye;
struct extent;
}  // namespace functions

template <class... E>
constexpr bool are_extents_known(extents<E...>*) {
  return ((named_extent<E> || code_of<E> >= 0) && ...);
}

/// A graph for something that is made; it belongs to the graph into which it is imported.
constexpr graph& temporary_graph() {
  graph* const g = new graph;
  g->is_temporary = true;
  return *g;
}

/// Requires that elements of `type` can hold the extent `e` less `less`, if it is known at the call only.
constexpr void require_held(graph& g, dtype type, extent_code e, int less, const char* operation) {
  const bool is_half = type == dtype::float16;
  if (e >= 0 || size_of(type) == 8 || (is_floating(type) && !is_half)) return;
  const std::int64_t largest = is_half ? infinite_half - 1 : static_cast<std::int64_t>(largest_integer(type));
  g.extents.require({requirement::kind::fits, e, largest + less, operation});
}
/// Whether elements of `type` can hold all positions along an extent, which is a number, or is checked at the call.
constexpr bool has_positions(dtype type, extent_code e) { return e <= 0 || holds(type, e - 1); }

template <auto E>
inline constexpr bool is_wrong_extent = false;  // neither a number nor a dimension, which has been said
template <auto E>
  requires requires { extent_type<E>::is_any; }
inline constexpr bool is_wrong_extent<E> = !extent_type<E>::is_any;

/// What is wrong with how something is made: with the arguments, the element type, and the extents, which who asks
/// spells out, for shorter errors.
template <class T, bool IsMisspelt, class Extents, auto... E>
constexpr complaint made_problem() {
  if constexpr (std::is_void_v<T> || IsMisspelt) return complaint::making;
  else if constexpr (!is_element<T>) return complaint::element;
  else if constexpr (are_extents_known(static_cast<Extents*>(nullptr))) return complaint::none;
  else return (is_wrong_extent<E> || ...) ? complaint::said : complaint::made_extent;
}
/// Refuses to make a `T` with these extents. What stands in its place has its type, as far as that is known.
template <complaint What, class Function, class T, auto... E, class... Wrong>
constexpr auto refuse_made(const Wrong*...) {
  if constexpr (What == complaint::element) reject<What, T>();
  else reject<What, Function, T, Wrong...>();
  if constexpr (!is_element<T> || What == complaint::making) return foreign_layer::nothing();
  else {
    using result = expr<T, extents_of<E...>>;
    return typed_layer::refused<result>(result(constant(temporary_graph(), dtype_of<T>, 0)));
  }
}

/// A scalar of `T` in every element: `kt::full<float, batch, 3>(0.5)`. Extents are numbers and named dimensions.
template <class T = void, auto... E, class X>
constexpr auto full(const X& value, unsigned line = __builtin_LINE()) {
  constexpr complaint problem = made_problem<T, !literal<X>, extents<typename extent_type<E>::type...>, E...>();
  if constexpr (problem != complaint::none) {
    return refuse_made<problem, functions::full, T, E...>(&value);
  } else if constexpr (!std::is_integral_v<X> && !is_floating(dtype_of<T>)) {
    return refuse_made<complaint::literal, functions::full, T, E...>(&value);
  } else {
    graph& g = temporary_graph();
    const term number = constant_of(g, dtype_of<T>, dtype_of<T>, value, "full", line);
    return expr<T, extents_of<E...>>(broadcast_term(number, graph_shape_of(g, 1, extents_of<E...>())));
  }
}
/// `kt::zeros<float, batch, 3>()`: a tensor of zeros, for instance the state before the first step of a loop.
template <class T = void, auto... E, class... Wrong>
constexpr auto zeros([[maybe_unused]] const Wrong&... wrong) {
  constexpr bool is_misspelt = sizeof...(Wrong) > 0;
  constexpr complaint problem = made_problem<T, is_misspelt, extents<typename extent_type<E>::type...>, E...>();
  if constexpr (problem != complaint::none) return refuse_made<problem, functions::zeros, T, E...>(&wrong...);
  else return full<T, E...>(0);
}
/// `kt::ones<float, batch, 3>()`: a tensor of ones.
template <class T = void, auto... E, class... Wrong>
constexpr auto ones([[maybe_unused]] const Wrong&... wrong) {
  constexpr bool is_misspelt = sizeof...(Wrong) > 0;
  constexpr complaint problem = made_problem<T, is_misspelt, extents<typename extent_type<E>::type...>, E...>();
  if constexpr (problem != complaint::none) return refuse_made<problem, functions::ones, T, E...>(&wrong...);
  else return full<T, E...>(1);
}

/// A scalar in every element of a tensor with the element type and extents of `x`: `kt::full_like(x, 0.5)`.
template <class X, class Y>
constexpr auto full_like(const X& x, const Y& value, unsigned line = __builtin_LINE()) {
  if constexpr (!expression<X>) {
    reject<foreign_layer::problem<X>, functions::full, X>();
    return foreign_layer::nothing();
  } else if constexpr (!literal<Y>) {
    reject<complaint::making, functions::full, typename X::expression, Y>();
    return refused_like(x);
  } else if constexpr (!std::is_integral_v<Y> && !is_floating(dtype_of<typename X::element>)) {
    reject<complaint::literal, functions::full, typename X::expression, Y>();
    return refused_like(x);
  } else {
    const term t = x.untyped();
    const shape target = t.extents();  // a copy, because new nodes move the graph's shapes
    const term number = constant_of(*t.owner, t.type(), t.type(), value, "full_like", line);
    return typename X::expression(broadcast_term(number, target));
  }
}
/// Zeros with the element type and extents of `x`: `kt::zeros_like(x)`.
template <class X>
constexpr auto zeros_like(const X& x) {
  return full_like(x, 0);
}
/// Ones with the element type and extents of `x`: `kt::ones_like(x)`.
template <class X>
constexpr auto ones_like(const X& x) {
  return full_like(x, 1);
}

/// The vector 0, 1, 2, ... of an extent: `kt::arange<float, length>() * 0.1`.
template <class T = void, auto... E, class... Wrong>
constexpr auto arange([[maybe_unused]] const Wrong&... wrong) {
  constexpr bool is_misspelt = sizeof...(Wrong) > 0 || sizeof...(E) != 1;
  constexpr complaint problem = made_problem<T, is_misspelt, extents<typename extent_type<E>::type...>, E...>();
  if constexpr (problem != complaint::none) {
    return refuse_made<problem, functions::arange, T, E...>(&wrong...);
  } else if constexpr (std::is_same_v<T, bool>) {
    return refuse_made<complaint::type, functions::arange, T, E...>();
  } else if constexpr (!has_positions(dtype_of<T>, shape_of_type<extents_of<E...>>[0])) {
    return refuse_made<complaint::positions, functions::arange, T, E...>();
  } else {
    graph& g = temporary_graph();
    const extent_code count = graph_shape_of(g, 1, extents_of<E...>())[0];
    require_held(g, dtype_of<T>, count, 1, "arange");
    return expr<T, extents_of<E...>>(iota(g, dtype_of<T>, count));
  }
}

/// Ones on the diagonal of a matrix, else zeros: `kt::eye<float, 3>()`, `kt::eye<float, n, 3>()`.
template <class T = void, auto... E, class... Wrong>
constexpr auto eye([[maybe_unused]] const Wrong&... wrong) {
  constexpr bool is_misspelt = sizeof...(Wrong) > 0 || sizeof...(E) == 0 || sizeof...(E) > 2;
  constexpr complaint problem = made_problem<T, is_misspelt, extents<typename extent_type<E>::type...>, E...>();
  if constexpr (problem != complaint::none) {
    return refuse_made<problem, functions::eye, T, E...>(&wrong...);
  } else if constexpr (sizeof...(E) == 1) {
    return eye<T, E..., E...>();
  } else {
    graph& g = temporary_graph();
    const shape s = graph_shape_of(g, 1, extents_of<E...>());
    const term rows = iota(g, dtype::int64, s[0]), columns = iota(g, dtype::int64, s[1]);
    return expr<T, extents_of<E...>>(cast(reshape_term(rows, with_ones(rows.extents(), 2)) == columns, dtype_of<T>));
  }
}

// Refused: extents without an element type.

template <auto First, auto... E, class... Wrong>
constexpr auto full(const Wrong&...) {
  reject<complaint::making, functions::full, extents_of<First, E...>, Wrong...>();
  return foreign_layer::nothing();
}
template <auto First, auto... E, class... Wrong>
constexpr auto zeros(const Wrong&...) {
  reject<complaint::making, functions::zeros, extents_of<First, E...>, Wrong...>();
  return foreign_layer::nothing();
}
template <auto First, auto... E, class... Wrong>
constexpr auto ones(const Wrong&...) {
  reject<complaint::making, functions::ones, extents_of<First, E...>, Wrong...>();
  return foreign_layer::nothing();
}
template <auto First, auto... E, class... Wrong>
constexpr auto arange(const Wrong&...) {
  reject<complaint::making, functions::arange, extents_of<First, E...>, Wrong...>();
  return foreign_layer::nothing();
}
template <auto First, auto... E, class... Wrong>
constexpr auto eye(const Wrong&...) {
  reject<complaint::making, functions::eye, extents_of<First, E...>, Wrong...>();
  return foreign_layer::nothing();
}

/// The value of a named dimension as a scalar: `kt::sum(x) / kt::extent<float>(batch)`; an int64 unless told otherwise.
template <class T = std::int64_t, class Tag>
constexpr auto extent([[maybe_unused]] const Tag& dimension) {
  constexpr complaint problem = made_problem<T, !named_extent<Tag>, extents<>>();
  if constexpr (problem != complaint::none) {
    return refuse_made<problem, functions::extent, T>(&dimension);
  } else if constexpr (std::is_same_v<T, bool>) {
    return refuse_made<complaint::type, functions::extent, T>();
  } else {
    graph& g = temporary_graph();
    const extent_code e = graph_extent<Tag>(g, 1);
    require_held(g, dtype_of<T>, e, 0, "extent");
    return expr<T, extents<>>(extent_value(g, dtype_of<T>, e));
  }
}

}  // namespace kroton
