// This header has the diagonals and triangles of matrices: diag, trace, fill_diagonal, tril and triu.
//
//     kt::diag(x) of {{1, 2}, {3, 4}} is {1, 4}, kt::tril(x) is {{1, 0}, {3, 4}}
#pragma once

#include <kroton/expr/arranged.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct diag;
struct trace;
struct fill_diagonal;
struct tril;
struct triu;
}  // namespace functions

/// How far each element of the last two axes, of `rows` and `columns`, is to the right of the diagonal.
constexpr term beside_diagonal(graph& g, extent_code rows, extent_code columns) {
  return iota(g, dtype::int64, columns) - lying_along(iota(g, dtype::int64, rows), 0, 2);
}
/// Where `holds` says of that distance that it is wanted, bool, with the last two axes of `x`.
template <class X>
constexpr auto mask_of_diagonal(const X& x, auto holds) {
  constexpr shape s = shape_of_type<typename X::extents_type>;
  constexpr shape last = {2, {s[X::rank - 2], s[X::rank - 1]}};
  const term t = x.untyped();
  const shape have = t.extents();
  return typed_layer::typed<bool, last, X>(holds(beside_diagonal(*t.owner, have[have.rank - 2], have[have.rank - 1])));
}
template <class X>
inline constexpr bool is_matrix = false;
template <expression X>
inline constexpr bool is_matrix<X> = X::rank >= 2;
}  // namespace typed

/// The diagonal of a matrix, (n, m) to (min(n, m)), or the matrix that has a vector as its diagonal, (n) to (n, n):
/// `kt::diag(x)`.
template <class X>
constexpr auto diag(const X& x) {
  if constexpr (!typed::have_rank<1, X> && !typed::have_rank<2, X>) {
    return typed::refuse<typed::complaint::rank, typed::functions::diag>(x);
  } else {
    constexpr shape s = typed::shape_of_type<typename X::extents_type>;
    const term t = x.untyped();
    graph::graph& g = *t.owner;
    const shape have = t.extents();
    if constexpr (X::rank == 1) {
      constexpr shape result = {2, {s[0], s[0]}};
      return typed::typed_layer::typed<typename X::element, result, X>(
          where(typed::beside_diagonal(g, have[0], have[0]) == 0, t, 0));
    } else {
      constexpr shape result = {1, {typed::typed_extents::minimum(s[0], s[1])}};
      const term flat = graph::reshape_term(t, {1, {g.extents.multiply(have[0], have[1])}});
      const term index = graph::iota(g, dtype::int64, g.extents.minimum(have[0], have[1])) *
                         (graph::extent_value(g, dtype::int64, have[1]) + 1);
      return typed::typed_layer::typed<typename X::element, result, X>(graph::take_term(flat, index));
    }
  }
}
/// The sum of the diagonal of a matrix, a scalar: `kt::trace(x)`.
template <class X>
constexpr auto trace(const X& x) {
  if constexpr (!typed::have_rank<2, X>) return typed::refuse<typed::complaint::rank, typed::functions::trace>(x);
  else return sum(diag(x));
}
/// `x` (..., n, m) with `value`, a number or a scalar, on the diagonal of its last two axes:
/// `kt::fill_diagonal(x, 0.5)`.
template <class X, class Value>
constexpr auto fill_diagonal(const X& x, const Value& value) {
  if constexpr (!typed::is_matrix<X>) {
    return typed::refuse<typed::complaint::rank, typed::functions::fill_diagonal>(x);
  } else {
    return where(typed::mask_of_diagonal(x, [](term distance) { return distance == 0; }), value, x);
  }
}
/// The lower triangle of the last two axes, (..., n, m) as `x`, up to the diagonal that is `Offset` above the main one;
/// the rest is 0: `kt::tril(x)`, `kt::tril<-1>(x)`.
template <std::int64_t Offset = 0, class X>
constexpr auto tril(const X& x) {
  if constexpr (!typed::is_matrix<X>) return typed::refuse<typed::complaint::rank, typed::functions::tril>(x);
  else return where(typed::mask_of_diagonal(x, [](term distance) { return distance <= Offset; }), x, 0);
}
/// The upper triangle, from the diagonal that is `Offset` above the main one: `kt::triu(x)`, `kt::triu<1>(x)`.
template <std::int64_t Offset = 0, class X>
constexpr auto triu(const X& x) {
  if constexpr (!typed::is_matrix<X>) return typed::refuse<typed::complaint::rank, typed::functions::triu>(x);
  else return where(typed::mask_of_diagonal(x, [](term distance) { return distance >= Offset; }), x, 0);
}

}  // namespace kroton
