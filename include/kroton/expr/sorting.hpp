// This header has sorting along an axis, and what goes with it: argsort, sort, topk, take_along, searchsorted and
// bincount.
//
//     kt::sort(x) of {3, 1, 2}  ->  kt::take_along(x, kt::argsort(x))  ->  {1, 2, 3}
#pragma once

#include <kroton/expr/arranged.hpp>
#include <kroton/graph/ops/argsort.hpp>
#include <kroton/graph/ops/searchsorted.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct topk;
struct take_along;
struct bincount;
}  // namespace functions
struct descending_tag {};

/// The positions among all elements of `x` that `index` has along an axis; it has the other extents of `x`.
constexpr term positions_in_lines(term x, term index, int axis) {
  graph& g = *x.owner;
  const shape s = x.extents(), at = index.extents();  // copies, because new nodes move the graph's shapes
  extent_code stride = 1;
  term flat = constant_of_bits(g, dtype::int64, 0);
  for (int i = s.rank - 1; i >= 0; --i) {
    const term position = i == axis ? cast(index, dtype::int64) : lying_along(iota(g, dtype::int64, at[i]), i, s.rank);
    flat = flat + position * extent_value(g, dtype::int64, stride);
    stride = g.extents.multiply(stride, s[i]);
  }
  return flat;
}
/// The elements of `x` at such positions.
constexpr term taken_from_lines(term x, term index, int axis) {
  const term flat = positions_in_lines(x, index, axis);
  return take_known_term(reshape_term(x, {1, {x.owner->extents.elements(x.extents())}}), flat);
}

/// The extents of integers that are positions along an axis of `X`, and the mistake in them.
struct along_rule {
  shape result;
  complaint problem = complaint::none;
};
template <class X, class I>
constexpr along_rule positions_along(told_axis at) {
  if (at.problem != complaint::none) return {{}, at.problem};
  if constexpr (!expression<X> || !expression<I>) {
    return {{}, complaint::operand};
  } else {
    if (!is_integer(dtype_of<typename I::element>)) return {{}, complaint::type};
    const shape s = shape_of_type<typename X::extents_type>;
    shape positions = shape_of_type<typename I::extents_type>;
    if (s.rank != positions.rank) return {{}, complaint::rank};
    typed_extents table;
    for (int i = 0; i < s.rank; ++i)
      if (i != at.number) positions[i] = table.unify(s[i], positions[i], "take_along");
    return {positions, table.mismatch ? complaint::extents : complaint::none};
  }
}
/// Integers that lie in an axis of `x`, whose other extents are those of `x`.
constexpr term checked_along(term x, term index, int axis) {
  graph& g = *x.owner;
  for (int other = 0; other < x.rank(); ++other)  // also where one is 1, which would be broadcast
    if (other != axis) g.extents.unify(x.extents()[other], index.extents()[other], "take_along");
  const extent_code count = x.extents()[axis];
  return kroton::graph::check_index(index, count);
}

/// The axis and the order that argsort and sort are given: perhaps an axis, and then perhaps kt::descending.
template <class X, class... Options>
struct sort_order {
  static constexpr told_axis axis = axis_of<X, Options...>();
  static constexpr bool descends = false;
};
template <class X>
struct sort_order<X, descending_tag> : sort_order<X> {
  static constexpr bool descends = true;
};
template <class X, int Axis>
struct sort_order<X, axis_list<Axis>, descending_tag> : sort_order<X, axis_list<Axis>> {
  static constexpr bool descends = true;
};
}  // namespace typed

/// kt::argsort and kt::sort begin with the largest element: `kt::sort(x, kt::axis<1>, kt::descending)`.
inline constexpr typed::descending_tag descending{};

/// The positions of the elements along an axis in ascending order, or in descending order, int64 (...) as `x`; equal
/// elements stay in their order, and NaNs are the last in both orders: `kt::argsort(x, kt::axis<1>)`,
/// `kt::argsort(x, kt::axis<1>, kt::descending)`, `kt::argsort(x)` of a vector.
template <class X, class... Options>
constexpr auto argsort(const X& x, Options...) {
  using order = typed::sort_order<X, Options...>;
  if constexpr (order::axis.problem != typed::complaint::none)
    return typed::refuse<order::axis.problem, ops::argsort>(x);
  else return typed::typed_layer::routine<ops::argsort, along_form{order::axis.number, order::descends}>(x);
}

/// The elements of `x` at the positions that `index` has along an axis, integers of the other extents of `x`:
/// `kt::take_along(x, index, kt::axis<1>)` has x(i, index(i, j)) at (i, j). An index outside the axis is an
/// `index_error` at the call.
template <class X, class I, class... Axis>
constexpr auto take_along(const X& x, const I& index, Axis...) {
  constexpr typed::told_axis at = typed::axis_of<X, Axis...>();
  constexpr typed::along_rule rule = typed::positions_along<X, I>(at);
  if constexpr (rule.problem != typed::complaint::none) {
    return typed::refuse<rule.problem, typed::functions::take_along>(x, index);
  } else {
    graph::graph& g = *typed::typed_layer::graph_of(x, index);
    const term t = typed::typed_layer::term_in(g, x), i = typed::typed_layer::term_in(g, index);
    return typed::typed_layer::typed<typename X::element, rule.result, X, I>(
        typed::taken_from_lines(t, typed::checked_along(t, i, at.number), at.number));
  }
}

/// The elements along an axis in ascending order, (...) as `x`, or in descending order; NaNs are the last:
/// `kt::sort(x, kt::axis<1>)`, `kt::sort(x, kt::axis<1>, kt::descending)`. Gradients go to where the elements were.
template <class X, class... Options>
constexpr auto sort(const X& x, Options... options) {
  const auto positions = argsort(x, options...);
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(positions)>, refused_expression>) {
    return positions;
  } else {
    constexpr int axis = typed::sort_order<X, Options...>::axis.number;
    return typename X::expression(typed::taken_from_lines(x.untyped(), positions.untyped(), axis));
  }
}

/// The largest elements along an axis, the largest first, and their positions.
template <class Values, class Index>
struct largest {
  Values values;
  Index index;
};
/// The `Count` largest elements along an axis, the largest first, and their positions: `auto [values, index] =
/// kt::topk<3>(x, kt::axis<1>);`. Of equal ones the first comes first, and NaNs come last.
template <std::int64_t Count, class X, class... Axis>
constexpr auto topk(const X& x, Axis...) {
  constexpr typed::told_axis at = typed::axis_of<X, Axis...>();
  constexpr extent_code told = typed::extent_along<X>(at);
  constexpr typed::complaint problem = at.problem != typed::complaint::none       ? at.problem
                                       : Count < 0 || (told >= 0 && told < Count) ? typed::complaint::outside
                                                                                  : typed::complaint::none;
  if constexpr (problem != typed::complaint::none) {
    const auto refused = typed::refuse<problem, typed::functions::topk>(x);
    using stand_in = std::remove_cvref_t<decltype(refused)>;
    return largest<stand_in, stand_in>{refused, refused};
  } else {
    constexpr shape result = typed::with_extent(typed::shape_of_type<typename X::extents_type>, at.number, Count);
    const term t = x.untyped();
    t.owner->extents.require({graph::requirement::kind::at_most, Count, t.extents()[at.number], "topk"});
    const auto in_order = [&](along_form form) { return call_routine<ops::argsort>(form, t); };
    const term first = Count > 0 ? in_order({at.number, true, Count})
                                 : graph::slice_term(in_order({at.number, true}), {at.number, 1, 0}, 0);
    const auto values =
        typed::typed_layer::typed<typename X::element, result, X>(typed::taken_from_lines(t, first, at.number));
    const auto index = typed::typed_layer::typed<std::int64_t, result, X>(first);
    return largest<std::remove_cvref_t<decltype(values)>, std::remove_cvref_t<decltype(index)>>{values, index};
  }
}

namespace typed {
struct right_side_tag {};
}  // namespace typed
/// kt::searchsorted counts the elements that equal a value, too.
inline constexpr typed::right_side_tag right_side{};

/// How many elements of the vector `sorted`, in ascending order, are less than each of `values`, int64 (...) as
/// `values`: `kt::searchsorted(bounds, x)`. A NaN is behind all numbers.
template <class X, class Y>
constexpr auto searchsorted(const X& sorted, const Y& values) {
  return call_routine<ops::searchsorted, along_form{0}>(sorted, values);
}
/// How many are not greater: `kt::searchsorted(bounds, x, kt::right_side)`.
template <class X, class Y>
constexpr auto searchsorted(const X& sorted, const Y& values, typed::right_side_tag) {
  return call_routine<ops::searchsorted, along_form{0, true}>(sorted, values);
}

/// The sum of the weights of the elements that are 0, 1, ..., `Count` - 1, a vector: `kt::bincount<10>(label, weight)`,
/// integers and floats of the same extents. An element outside is an `index_error` at the call.
template <std::int64_t Count, class I, class W>
constexpr auto bincount(const I& index, const W& weights) {
  constexpr typed::complaint problem = [] {
    if constexpr (!expression<I> || !expression<W>) {
      return typed::complaint::operand;
    } else {
      if (!is_integer(dtype_of<typename I::element>) || !is_floating(dtype_of<typename W::element>))
        return typed::complaint::type;
      const shape x = typed::shape_of_type<typename I::extents_type>,
                  y = typed::shape_of_type<typename W::extents_type>;
      if (x.rank != y.rank) return typed::complaint::rank;
      typed::typed_extents table;
      for (int i = 0; i < x.rank; ++i) table.unify(x[i], y[i], "bincount");
      if (table.mismatch) return typed::complaint::extents;
      return Count < 0 ? typed::complaint::outside : typed::complaint::none;
    }
  }();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse<problem, typed::functions::bincount>(index, weights);
  } else {
    graph::graph& g = *typed::typed_layer::graph_of(index, weights);
    const term i = typed::typed_layer::term_in(g, index), w = typed::typed_layer::term_in(g, weights);
    for (int axis = 0; axis < I::rank; ++axis) g.extents.unify(i.extents()[axis], w.extents()[axis], "bincount");
    constexpr shape result = {1, {Count}};
    return typed::typed_layer::typed<typename W::element, result, I, W>(
        graph::scatter_term(graph::check_index(i, Count), w, result));
  }
}
/// How many elements are 0, 1, ..., `Count` - 1, int64: `kt::bincount<10>(label)`.
template <std::int64_t Count, class I>
constexpr auto bincount(const I& index) {
  if constexpr (!expression<I>) return typed::refuse<typed::complaint::operand, typed::functions::bincount>(index);
  else return cast<std::int64_t>(bincount<Count>(index, full_like(cast<double>(index), 1)));
}

}  // namespace kroton
