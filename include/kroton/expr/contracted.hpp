// This header has products of all pairs of elements, and sums of them: outer, kron and tensordot.
//
//     kt::outer(x, y) of (n) and (3) is (n, 3); kt::tensordot(x, y, kt::axis<1, 2>, kt::axis<0, 1>) of (n, 2, 3) and
//     (2, 3, 4) is (n, 4)
#pragma once

#include <kroton/expr/arranged.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct outer;
struct kron;
struct tensordot;
}  // namespace functions
}  // namespace typed

/// The products of all pairs of two vectors, (n) and (m) to (n, m): `kt::outer(x, y)`.
template <class X, class Y>
constexpr auto outer(const X& x, const Y& y) {
  if constexpr (!typed::have_rank<1, X, Y>) {
    return typed::refuse<typed::complaint::rank, typed::functions::outer>(x, y);
  } else {
    return typed::typed_layer::with_axis<1>(x) * typed::typed_layer::with_axis<0>(y);
  }
}
/// The Kronecker product of two matrices, (a, b) and (c, d) to (a c, b d): `kt::kron(x, y)`. A vector beside a matrix
/// is its row; that of two vectors, (a) and (b), is (a b).
template <class X, class Y>
constexpr auto kron(const X& x, const Y& y) {
  using layer = typed::typed_layer;
  using typed::have_rank;
  if constexpr (have_rank<1, X, Y>) {
    return kron(layer::with_axis<0>(x), layer::with_axis<0>(y))[0];
  } else if constexpr (have_rank<1, X> && have_rank<2, Y>) {
    return kron(layer::with_axis<0>(x), y);
  } else if constexpr (have_rank<2, X> && have_rank<1, Y>) {
    return kron(x, layer::with_axis<0>(y));
  } else if constexpr (!have_rank<2, X, Y>) {
    return typed::refuse<typed::complaint::rank, typed::functions::kron>(x, y);
  } else {
    const auto pairs =
        layer::with_axis<3>(layer::with_axis<1>(x)) * layer::with_axis<2>(layer::with_axis<0>(y));  // (a, c, b, d)
    using type = decltype(pairs);
    constexpr shape s = typed::shape_of_type<typename type::extents_type>;
    constexpr shape result = {2,
                              {typed::typed_extents::multiply(s[0], s[1]), typed::typed_extents::multiply(s[2], s[3])}};
    const term t = pairs.untyped();
    const shape have = t.extents();
    graph::extent_table& table = t.owner->extents;
    return layer::typed<typename type::element, result, X, Y>(
        graph::reshape_term(t, {2, {table.multiply(have[0], have[1]), table.multiply(have[2], have[3])}}));
  }
}

namespace typed {
/// The axes over which a tensordot sums, and the others, of one operand.
struct contracted_axes {
  int over[max_rank] = {}, kept[max_rank] = {};
  int over_count = 0, kept_count = 0;
  complaint problem = complaint::none;

  template <int... Axes>
  constexpr contracted_axes(axis_list<Axes...> axes, int rank) {
    const std::int64_t mask = axis_mask(axes, rank);
    if (mask < 0) {
      problem = axes_problem(mask);
      return;
    }
    ((over[over_count++] = Axes < 0 ? Axes + rank : Axes), ...);
    for (int axis = 0; axis < rank; ++axis)
      if (((mask >> axis) & 1) == 0) kept[kept_count++] = axis;
  }
  /// The order in which the axes are the kept ones and then the others, or the other way round.
  constexpr std::int64_t order(bool kept_first) const {
    std::int64_t packed = 0;
    for (int i = 0; i < kept_count; ++i)
      packed |= static_cast<std::int64_t>(kept[i]) << (4 * (kept_first ? i : over_count + i));
    for (int i = 0; i < over_count; ++i)
      packed |= static_cast<std::int64_t>(over[i]) << (4 * (kept_first ? kept_count + i : i));
    return packed;
  }
};
/// The extents of a tensordot.
template <class Extents>
constexpr shape contracted(Extents& table, const shape& x, const shape& y, const contracted_axes& of_x,
                           const contracted_axes& of_y) {
  for (int i = 0; i < of_x.over_count; ++i) table.unify(x[of_x.over[i]], y[of_y.over[i]], "tensordot");
  shape result;
  for (int i = 0; i < of_x.kept_count; ++i) result.append(x[of_x.kept[i]]);
  for (int i = 0; i < of_y.kept_count; ++i) result.append(y[of_y.kept[i]]);
  return result;
}
template <class X, class Y, class AxesX, class AxesY>
constexpr complaint contraction_problem() {
  if constexpr (!expression<X> || !expression<Y>) {
    return complaint::operand;
  } else {
    const contracted_axes of_x(AxesX{}, X::rank), of_y(AxesY{}, Y::rank);
    if (of_x.problem != complaint::none) return of_x.problem;
    if (of_y.problem != complaint::none) return of_y.problem;
    if (of_x.over_count != of_y.over_count || of_x.kept_count + of_y.kept_count > max_rank) return complaint::rank;
    if (!is_floating(dtype_of<typename X::element>)) return complaint::type;
    if (!std::is_same_v<typename X::element, typename Y::element>) return complaint::mixed_types;
    typed_extents table;
    contracted(table, shape_of_type<typename X::extents_type>, shape_of_type<typename Y::extents_type>, of_x, of_y);
    return table.mismatch ? complaint::extents : complaint::none;
  }
}
}  // namespace typed

/// The sum of products over axes of `x` and as many axes of `y`, in the order in which they are named; the other axes
/// of `x` come first: `kt::tensordot(x, y, kt::axis<1, 2>, kt::axis<0, 1>)`. One product of matrices; floating point
/// only.
template <class X, class Y, int... AxesX, int... AxesY>
constexpr auto tensordot(const X& x, const Y& y, graph::axis_list<AxesX...>, graph::axis_list<AxesY...>) {
  constexpr typed::complaint problem =
      typed::contraction_problem<X, Y, graph::axis_list<AxesX...>, graph::axis_list<AxesY...>>();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse<problem, typed::functions::tensordot>(x, y);
  } else {
    constexpr typed::contracted_axes of_x(graph::axis_list<AxesX...>{}, X::rank),
        of_y(graph::axis_list<AxesY...>{}, Y::rank);
    constexpr shape result = [&] {
      typed::typed_extents table;
      return typed::contracted(table, typed::shape_of_type<typename X::extents_type>,
                               typed::shape_of_type<typename Y::extents_type>, of_x, of_y);
    }();
    graph::graph& g = *typed::typed_layer::graph_of(x, y);
    const term a = typed::typed_layer::term_in(g, x), b = typed::typed_layer::term_in(g, y);
    const shape from = a.extents(), with = b.extents();  // copies, because new nodes move the graph's shapes
    const shape have = typed::contracted(g.extents, from, with, of_x, of_y);
    extent_code rows = 1, columns = 1, over = 1;
    for (int i = 0; i < of_x.kept_count; ++i) rows = g.extents.multiply(rows, from[of_x.kept[i]]);
    for (int i = 0; i < of_y.kept_count; ++i) columns = g.extents.multiply(columns, with[of_y.kept[i]]);
    for (int i = 0; i < of_x.over_count; ++i) over = g.extents.multiply(over, from[of_x.over[i]]);
    const term left = graph::reshape_term(graph::transpose_term(a, of_x.order(true)), {2, {rows, over}});
    const term right = graph::reshape_term(graph::transpose_term(b, of_y.order(false)), {2, {over, columns}});
    return typed::typed_layer::typed<typename X::element, result, X, Y>(
        graph::reshape_term(graph::dot_term(left, right), have));
  }
}

}  // namespace kroton
