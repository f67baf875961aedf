// This header makes tensors of nothing: kt::zeros, ones, full, arange, eye, and the value of an extent. They start
// loops, count positions, and stand beside arguments; see graph/import.hpp.
#pragma once

#include <kroton/expr/foreign.hpp>
#include <kroton/expr/typed_shapes.hpp>

namespace kroton {

namespace typed {
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
/// Refuses to make a `T` with these extents. The stand-in that it returns has this type, as far as the type is known.
template <complaint What, class Function, class T, auto... E, class... Wrong>
constexpr auto refuse_made(const Wrong*...) {
  if constexpr (What == complaint::element) reject<What, T>();
  else reject<What, Function, T, Wrong...>();
  if constexpr (!is_element<T> || What == complaint::making) return refused_expression();
  else {
    using result = expr<T, extents_of<E...>>;
    return typed_layer::refused<result>(result(constant(temporary_graph(), dtype_of<T>, 0)));
  }
}
}  // namespace typed

/// A scalar of `T` in every element: `kt::full<float, batch, 3>(0.5)`. Extents are numbers and named dimensions.
template <class T = void, auto... E, class X>
constexpr auto full(const X& value, unsigned line = __builtin_LINE()) {
  constexpr typed::complaint problem =
      typed::made_problem<T, !literal<X>, extents<typename typed::extent_type<E>::type...>, E...>();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse_made<problem, typed::functions::full, T, E...>(&value);
  } else if constexpr (!std::is_integral_v<X> && !is_floating(dtype_of<T>)) {
    return typed::refuse_made<typed::complaint::literal, typed::functions::full, T, E...>(&value);
  } else {
    graph::graph& g = typed::temporary_graph();
    const term number = graph::constant_of(g, dtype_of<T>, dtype_of<T>, value, "full", line);
    return expr<T, typed::extents_of<E...>>(
        graph::broadcast_term(number, typed::graph_shape_of(g, 1, typed::extents_of<E...>())));
  }
}
/// `kt::zeros<float, batch, 3>()`: a tensor of zeros, for instance the state before the first step of a loop.
template <class T = void, auto... E, class... Wrong>
constexpr auto zeros([[maybe_unused]] const Wrong&... wrong) {
  constexpr bool is_misspelt = sizeof...(Wrong) > 0;
  constexpr typed::complaint problem =
      typed::made_problem<T, is_misspelt, extents<typename typed::extent_type<E>::type...>, E...>();
  if constexpr (problem != typed::complaint::none)
    return typed::refuse_made<problem, typed::functions::zeros, T, E...>(&wrong...);
  else return full<T, E...>(0);
}
/// `kt::ones<float, batch, 3>()`: a tensor of ones.
template <class T = void, auto... E, class... Wrong>
constexpr auto ones([[maybe_unused]] const Wrong&... wrong) {
  constexpr bool is_misspelt = sizeof...(Wrong) > 0;
  constexpr typed::complaint problem =
      typed::made_problem<T, is_misspelt, extents<typename typed::extent_type<E>::type...>, E...>();
  if constexpr (problem != typed::complaint::none)
    return typed::refuse_made<problem, typed::functions::ones, T, E...>(&wrong...);
  else return full<T, E...>(1);
}

/// A scalar in every element of a tensor with the element type and extents of `x`: `kt::full_like(x, 0.5)`.
template <class X, class Y>
constexpr auto full_like(const X& x, const Y& value, unsigned line = __builtin_LINE()) {
  if constexpr (!expression<X>) {
    typed::reject<typed::foreign_layer::problem<X>, typed::functions::full, X>();
    return refused_expression();
  } else if constexpr (!literal<Y>) {
    typed::reject<typed::complaint::making, typed::functions::full, typename X::expression, Y>();
    return typed::refused_like(x);
  } else if constexpr (!std::is_integral_v<Y> && !is_floating(dtype_of<typename X::element>)) {
    typed::reject<typed::complaint::literal, typed::functions::full, typename X::expression, Y>();
    return typed::refused_like(x);
  } else {
    const term t = x.untyped();
    const shape target = t.extents();  // a copy, because new nodes move the graph's shapes
    const term number = graph::constant_of(*t.owner, t.type(), t.type(), value, "full_like", line);
    return typename X::expression(graph::broadcast_term(number, target));
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
  constexpr typed::complaint problem =
      typed::made_problem<T, is_misspelt, extents<typename typed::extent_type<E>::type...>, E...>();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse_made<problem, typed::functions::arange, T, E...>(&wrong...);
  } else if constexpr (std::is_same_v<T, bool>) {
    return typed::refuse_made<typed::complaint::type, typed::functions::arange, T, E...>();
  } else if constexpr (!typed::has_positions(dtype_of<T>, typed::shape_of_type<typed::extents_of<E...>>[0])) {
    return typed::refuse_made<typed::complaint::positions, typed::functions::arange, T, E...>();
  } else {
    graph::graph& g = typed::temporary_graph();
    const extent_code count = typed::graph_shape_of(g, 1, typed::extents_of<E...>())[0];
    typed::require_held(g, dtype_of<T>, count, 1, "arange");
    return expr<T, typed::extents_of<E...>>(graph::iota(g, dtype_of<T>, count));
  }
}

/// Ones on the diagonal of a matrix, else zeros: `kt::eye<float, 3>()`, `kt::eye<float, n, 3>()`.
template <class T = void, auto... E, class... Wrong>
constexpr auto eye([[maybe_unused]] const Wrong&... wrong) {
  constexpr bool is_misspelt = sizeof...(Wrong) > 0 || sizeof...(E) == 0 || sizeof...(E) > 2;
  constexpr typed::complaint problem =
      typed::made_problem<T, is_misspelt, extents<typename typed::extent_type<E>::type...>, E...>();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse_made<problem, typed::functions::eye, T, E...>(&wrong...);
  } else if constexpr (sizeof...(E) == 1) {
    return eye<T, E..., E...>();
  } else {
    graph::graph& g = typed::temporary_graph();
    const shape s = typed::graph_shape_of(g, 1, typed::extents_of<E...>());
    const term rows = graph::iota(g, dtype::int64, s[0]), columns = graph::iota(g, dtype::int64, s[1]);
    return expr<T, typed::extents_of<E...>>(
        cast(graph::reshape_term(rows, graph::with_ones(rows.extents(), 2)) == columns, dtype_of<T>));
  }
}

// Refused: extents without an element type.

template <auto First, auto... E, class... Wrong>
constexpr auto full(const Wrong&...) {
  typed::reject<typed::complaint::making, typed::functions::full, typed::extents_of<First, E...>, Wrong...>();
  return refused_expression();
}
template <auto First, auto... E, class... Wrong>
constexpr auto zeros(const Wrong&...) {
  typed::reject<typed::complaint::making, typed::functions::zeros, typed::extents_of<First, E...>, Wrong...>();
  return refused_expression();
}
template <auto First, auto... E, class... Wrong>
constexpr auto ones(const Wrong&...) {
  typed::reject<typed::complaint::making, typed::functions::ones, typed::extents_of<First, E...>, Wrong...>();
  return refused_expression();
}
template <auto First, auto... E, class... Wrong>
constexpr auto arange(const Wrong&...) {
  typed::reject<typed::complaint::making, typed::functions::arange, typed::extents_of<First, E...>, Wrong...>();
  return refused_expression();
}
template <auto First, auto... E, class... Wrong>
constexpr auto eye(const Wrong&...) {
  typed::reject<typed::complaint::making, typed::functions::eye, typed::extents_of<First, E...>, Wrong...>();
  return refused_expression();
}

/// The value of a named dimension as a scalar: `kt::sum(x) / kt::extent<float>(batch)`; an int64 unless told otherwise.
template <class T = std::int64_t, class Tag>
constexpr auto extent([[maybe_unused]] const Tag& dimension) {
  constexpr typed::complaint problem = typed::made_problem<T, !typed::named_extent<Tag>, extents<>>();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse_made<problem, typed::functions::extent, T>(&dimension);
  } else if constexpr (std::is_same_v<T, bool>) {
    return typed::refuse_made<typed::complaint::type, typed::functions::extent, T>();
  } else {
    graph::graph& g = typed::temporary_graph();
    const extent_code e = typed::graph_extent<Tag>(g, 1);
    typed::require_held(g, dtype_of<T>, e, 0, "extent");
    return expr<T, extents<>>(graph::extent_value(g, dtype_of<T>, e));
  }
}

}  // namespace kroton
