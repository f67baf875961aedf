// This header has functions that arrange the elements of a tensor anew: flip, roll, tile, repeat, split and diff.
//
//     of {1, 2, 3}: kt::roll(x, 1) is {3, 1, 2}, kt::repeat<2>(x) is {1, 1, 2, 2, 3, 3}, kt::diff(x) is {1, 1}
#pragma once

#include <kroton/expr/functions.hpp>
#include <kroton/expr/range.hpp>

#include <array>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct flip;
struct roll;
struct tile;
struct repeat;
struct split;
struct diff;
}  // namespace functions

/// The mistake in an operand and an axis of it; a vector needs no axis.
template <class X, class... Axis>
constexpr told_axis axis_of() {
  if constexpr (expression<X>) return told_axis_of(X::rank, Axis{}...);
  else return {0, complaint::operand};
}
/// The extent of `x` along an axis, as its type says it; 0 where there is a mistake.
template <class X>
constexpr extent_code extent_along(const told_axis& axis) {
  if constexpr (expression<X>)
    if (axis.problem == complaint::none) return shape_of_type<typename X::extents_type>[axis.number];
  return 0;
}
/// Whether all operands are expressions of this rank.
template <int Rank, class... X>
inline constexpr bool have_rank = false;
template <int Rank, expression... X>
inline constexpr bool have_rank<Rank, X...> = ((X::rank == Rank) && ...);

/// The extents of `s`, but `count` along an axis.
constexpr shape with_extent(shape s, int axis, extent_code count) {
  s[axis] = count;
  return s;
}
constexpr term flipped(term x, int axis) {
  graph& g = *x.owner;
  const extent_code count = x.extents()[axis];
  return taken_along(x, axis, extent_value(g, dtype::int64, count) - 1 - iota(g, dtype::int64, count));
}
}  // namespace typed

/// `x` in reverse order along some axes, (...) as `x`: `kt::flip(x, kt::axis<1>)`. A copy, not a view.
template <class X, int... Axes>
constexpr auto flip(const X& x, graph::axis_list<Axes...> axes) {
  constexpr typed::complaint problem = [] {
    if constexpr (expression<X>) return typed::axes_problem(graph::axis_mask(graph::axis_list<Axes...>{}, X::rank));
    else return typed::complaint::operand;
  }();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse<problem, typed::functions::flip>(x);
  } else {
    term t = x.untyped();
    ((t = typed::flipped(t, Axes < 0 ? Axes + X::rank : Axes)), ...);
    static_cast<void>(axes);
    return typename X::expression(t);
  }
}
/// The same along all axes: `kt::flip(x)`.
template <class X>
constexpr auto flip(const X& x) {
  return flip(x, typed::every_axis<X>{});
}

/// `x` moved by `shift` positions along an axis, (...) as `x`; what leaves at one end comes in at the other:
/// `kt::roll(x, 1, kt::axis<0>)`, `kt::roll(x, -2)` of a vector.
template <class X, std::integral N, class... Axis>
constexpr auto roll(const X& x, N shift, Axis...) {
  constexpr typed::told_axis axis = typed::axis_of<X, Axis...>();
  if constexpr (axis.problem != typed::complaint::none) {
    return typed::refuse<axis.problem, typed::functions::roll>(x);
  } else {
    const term t = x.untyped();
    graph::graph& g = *t.owner;
    const extent_code count = t.extents()[axis.number];
    const term from = graph::iota(g, dtype::int64, count) - static_cast<std::int64_t>(shift);
    return typename X::expression(
        typed::taken_along(t, axis.number, mod(from, graph::extent_value(g, dtype::int64, count))));
  }
}

namespace typed {
/// Each axis of `s` so many times as long.
template <class Extents>
constexpr shape tiled(Extents& table, shape s, const std::int64_t* counts) {
  for (int axis = 0; axis < s.rank; ++axis) s[axis] = table.multiply(s[axis], counts[axis]);
  return s;
}
}  // namespace typed

/// `x` repeated as a whole, `Counts` times along each axis: `kt::tile<2, 1>(x)` of (n, 3) is (2 n, 3).
template <std::int64_t... Counts, class X>
constexpr auto tile(const X& x) {
  constexpr typed::complaint problem = [] {
    if constexpr (!expression<X>) return typed::complaint::operand;
    else if (sizeof...(Counts) != X::rank || 2 * X::rank > max_rank) return typed::complaint::rank;
    else return ((Counts >= 0) && ...) ? typed::complaint::none : typed::complaint::counts;
  }();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse<problem, typed::functions::tile>(x);
  } else {
    constexpr std::int64_t counts[] = {Counts..., 1};
    constexpr shape result = [&] {
      typed::typed_extents table;
      return typed::tiled(table, typed::shape_of_type<typename X::extents_type>, counts);
    }();
    const term t = x.untyped();
    const shape s = t.extents();
    shape spread, have;
    for (int axis = 0; axis < s.rank; ++axis) {
      spread.append(1), spread.append(s[axis]);
      have.append(counts[axis]), have.append(s[axis]);
    }
    const term many = graph::broadcast_term(graph::reshape_term(t, spread), have);
    return typed::typed_layer::typed<typename X::element, result, X>(
        graph::reshape_term(many, typed::tiled(t.owner->extents, s, counts)));
  }
}
/// Each element `Count` times, one after the other along an axis: `kt::repeat<3>(x, kt::axis<0>)` of (n, 2) is
/// (3 n, 2).
template <std::int64_t Count, class X, class... Axis>
constexpr auto repeat(const X& x, Axis...) {
  constexpr typed::told_axis axis = typed::axis_of<X, Axis...>();
  constexpr typed::complaint problem = [&] {
    if (axis.problem != typed::complaint::none) return axis.problem;
    if constexpr (expression<X>)
      if (X::rank == max_rank) return typed::complaint::rank;
    return Count >= 0 ? typed::complaint::none : typed::complaint::counts;
  }();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse<problem, typed::functions::repeat>(x);
  } else {
    constexpr int at = axis.number;
    constexpr shape s = typed::shape_of_type<typename X::extents_type>;
    constexpr shape result = typed::with_extent(s, at, typed::typed_extents::multiply(s[at], Count));
    const term t = x.untyped();
    const shape have = t.extents();
    shape many = graph::with_ones(have, std::int64_t{2} << at);
    const term spread = graph::reshape_term(t, many);
    many[at + 1] = Count;
    return typed::typed_layer::typed<typename X::element, result, X>(graph::reshape_term(
        graph::broadcast_term(spread, many), typed::with_extent(have, at, t.owner->extents.multiply(have[at], Count))));
  }
}

/// `Count` parts of one length along an axis, as a `std::array`: `auto [i, f, o] = kt::split<3>(gates, kt::axis<1>);`.
/// Where the extent is a name, that `Count` divides it is checked at the call.
template <std::int64_t Count, class X, class... Axis>
constexpr auto split(const X& x, Axis...) {
  constexpr typed::told_axis axis = typed::axis_of<X, Axis...>();
  constexpr extent_code told = typed::extent_along<X>(axis);
  constexpr typed::complaint problem = [&] {
    if (axis.problem != typed::complaint::none) return axis.problem;
    if constexpr (Count < 1) return typed::complaint::counts;
    else return told >= 0 && told % Count != 0 ? typed::complaint::parts : typed::complaint::none;
  }();
  if constexpr (problem != typed::complaint::none) {
    const auto refused = typed::refuse<problem, typed::functions::split>(x);
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::array{(static_cast<void>(I), refused)...}; }
    (std::make_index_sequence<static_cast<std::size_t>(Count < 1 ? 1 : Count)>());
  } else {
    constexpr int at = axis.number;
    constexpr shape s = typed::shape_of_type<typename X::extents_type>;
    constexpr shape result = typed::with_extent(s, at, typed::typed_extents::ceil_divide(s[at], Count));
    const term t = x.untyped();
    graph::extent_table& table = t.owner->extents;
    const extent_code have = t.extents()[at], part = table.ceil_divide(have, Count);
    if (have < 0) table.require({graph::requirement::kind::equal, table.multiply(part, Count), have, "split"});
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::array{typed::typed_layer::typed<typename X::element, result, X>(
          graph::slice_term(t, {at, 1, table.multiply(part, static_cast<extent_code>(I))}, part))...};
    }
    (std::make_index_sequence<static_cast<std::size_t>(Count)>());
  }
}

/// The differences of neighbours along an axis, x[i + 1] - x[i]: `kt::diff(x, kt::axis<0>)` of (10, 3) is (9, 3). An
/// axis of no elements is a `shape_error` at the call.
template <class X, class... Axis>
constexpr auto diff(const X& x, Axis...) {
  constexpr typed::told_axis axis = typed::axis_of<X, Axis...>();
  constexpr typed::complaint problem = [&] {
    if (axis.problem != typed::complaint::none) return axis.problem;
    if constexpr (expression<X>)
      if (std::is_same_v<typename X::element, bool>) return typed::complaint::type;
    return typed::extent_along<X>(axis) == 0 ? typed::complaint::no_elements : typed::complaint::none;
  }();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse<problem, typed::functions::diff>(x);
  } else {
    constexpr int at = axis.number;
    constexpr shape s = typed::shape_of_type<typename X::extents_type>;
    constexpr shape result = typed::with_extent(s, at, typed::typed_extents::subtract(s[at], 1));
    const term t = x.untyped();
    graph::extent_table& table = t.owner->extents;
    const extent_code have = t.extents()[at], count = table.subtract(have, 1);
    if (have < 0) table.require({graph::requirement::kind::at_most, 1, have, "diff"});
    const term after = graph::slice_term(t, {at, 1, 1}, count), before = graph::slice_term(t, {at, 1, 0}, count);
    return typed::typed_layer::typed<typename X::element, result, X>(after - before);
  }
}

}  // namespace kroton
