// Tensors that are made of nothing: kt::zeros, ones, full, arange, eye, and the value of an extent. They start loops, count
// positions, and stand beside arguments; see graph/import.hpp.
#pragma once

#include <kroton/expr/typed_shapes.hpp>

namespace kroton {

namespace functions {  // names for error messages
struct full;
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

/// A scalar of `T` in every element: `kt::full<float, batch, 3>(0.5)`. Extents are numbers and named dimensions.
template <class T, auto... E, literal X>
constexpr auto full(X value) {
  using result = expr<T, extents_of<E...>>;
  graph& g = temporary_graph();
  if constexpr (!are_extents_known(static_cast<extents_of<E...>*>(nullptr))) {
    reject<complaint::made_extent, functions::full, result>();
    return typed_layer::refused<result>(result(constant(g, dtype_of<T>, 0)));
  } else if constexpr (std::is_floating_point_v<X> && !is_floating(dtype_of<T>)) {
    reject<complaint::literal, functions::full, result, X>();
    return typed_layer::refused<result>(result(constant(g, dtype_of<T>, 0)));
  } else {
    return result(broadcast_term(constant_of(g, dtype_of<T>, value), graph_shape_of(g, 1, extents_of<E...>())));
  }
}
/// `kt::zeros<float, batch, 3>()`: a tensor of zeros, for instance the state before the first step of a loop.
template <class T, auto... E>
constexpr auto zeros() {
  return full<T, E...>(0);
}
/// `kt::ones<float, batch, 3>()`: a tensor of ones.
template <class T, auto... E>
constexpr auto ones() {
  return full<T, E...>(1);
}

/// A scalar in every element of a tensor with the element type and extents of `x`: `kt::full_like(x, 0.5)`.
template <expression X, literal Y>
constexpr auto full_like(const X& x, Y value) {
  using T = typename X::element;
  if constexpr (std::is_floating_point_v<Y> && !is_floating(dtype_of<T>)) {
    reject<complaint::literal, functions::full, typename X::expression, Y>();
    return refused_like(x);
  } else {
    const term t = x.untyped();
    const shape target = t.extents();  // a copy, because new nodes move the graph's shapes
    return typename X::expression(broadcast_term(constant_of(*t.owner, dtype_of<T>, value), target));
  }
}
/// Zeros with the element type and extents of `x`: `kt::zeros_like(x)`.
template <expression X>
constexpr auto zeros_like(const X& x) {
  return full_like(x, 0);
}
/// Ones with the element type and extents of `x`: `kt::ones_like(x)`.
template <expression X>
constexpr auto ones_like(const X& x) {
  return full_like(x, 1);
}

/// The vector 0, 1, 2, ... of an extent: `kt::arange<float, length>() * 0.1`.
template <class T, auto E>
constexpr auto arange() {
  using result = expr<T, extents_of<E>>;
  graph& g = temporary_graph();
  if constexpr (!are_extents_known(static_cast<extents_of<E>*>(nullptr)) || std::is_same_v<T, bool>) {
    reject<std::is_same_v<T, bool> ? complaint::type : complaint::made_extent, functions::arange, result>();
    return typed_layer::refused<result>(result(constant(g, dtype_of<T>, 0)));
  } else {
    return result(iota(g, dtype_of<T>, graph_shape_of(g, 1, extents_of<E>())[0]));
  }
}

/// Ones on the diagonal of a matrix, else zeros: `kt::eye<float, 3>()`, `kt::eye<float, n, 3>()`.
template <class T, auto Rows, auto Columns = Rows>
constexpr auto eye() {
  using result = expr<T, extents_of<Rows, Columns>>;
  graph& g = temporary_graph();
  if constexpr (!are_extents_known(static_cast<extents_of<Rows, Columns>*>(nullptr))) {
    reject<complaint::made_extent, functions::eye, result>();
    return typed_layer::refused<result>(result(constant(g, dtype_of<T>, 0)));
  } else {
    const shape s = graph_shape_of(g, 1, extents_of<Rows, Columns>());
    const term rows = iota(g, dtype::int64, s[0]), columns = iota(g, dtype::int64, s[1]);
    return result(cast(reshape_term(rows, with_ones(rows.extents(), 2)) == columns, dtype_of<T>));
  }
}

/// The value of a named dimension as a scalar: `kt::sum(x) / kt::extent<float>(batch)`; an int64 unless told otherwise.
template <class T = std::int64_t, class Tag>
constexpr auto extent(const dim<Tag>&) {
  graph& g = temporary_graph();
  if constexpr (!is_element<T> || std::is_same_v<T, bool>) {
    reject<complaint::type, functions::extent, T>();
    return typed_layer::refused<expr<std::int64_t, extents<>>>(expr<std::int64_t, extents<>>(constant(g, dtype::int64, 0)));
  } else {
    return expr<T, extents<>>(extent_value(g, dtype_of<T>, graph_extent<Tag>(g, 1)));
  }
}

}  // namespace kroton
