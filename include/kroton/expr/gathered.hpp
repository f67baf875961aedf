// This header has lookups by integers beyond `kt::take(x, index)`: by several of them at once, and along any axis.
//
//     kt::take(x, std::tuple{i, j})        x(i, j) for each element of i and j, which broadcast
//     kt::take(x, index, kt::axis<1>)      columns of x
#pragma once

#include <kroton/expr/sorting.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct take;
}  // namespace functions

/// The rows (count, ...) of `x` (n, ...) at positions, of which n stands for a row of zeros.
constexpr term rows_or_zeros(term x, term positions) {
  shape one = x.extents();
  one[0] = 1;
  const term parts[] = {x, broadcast_term(constant_of_bits(*x.owner, x.type(), 0), one)};
  return take_known_term(concatenate_term(parts, 2, 0), positions);
}

/// Integers that name rows: one expression, or several for as many of the first axes.
template <class Item>
inline constexpr bool is_index_list = false;
template <expression I>
  requires(I::rank > 0)
inline constexpr bool is_index_list<I> = is_integer(dtype_of<typename I::element>);
template <expression... I>
  requires(sizeof...(I) > 0)
inline constexpr bool is_index_list<std::tuple<I...>> = (is_integer(dtype_of<typename I::element>) && ...);

/// The extents of what integers select from `X`: those of the integers, which broadcast, and the other axes of `X`.
template <class Extents>
constexpr shape selected_extents(Extents& table, const shape& x, const shape* index, int count) {
  shape result = index[0];
  for (int i = 1; i < count; ++i) result = broadcast_shape(table, result, index[i], "take");
  for (int axis = count; axis < x.rank; ++axis) result.append(x[axis]);
  return result;
}
template <class X, class Item>
struct index_rule;
template <class X, expression I>
struct index_rule<X, I> : index_rule<X, std::tuple<I>> {};
template <class X, class... I>
struct index_rule<X, std::tuple<I...>> {
  static constexpr int count = sizeof...(I);
  struct outcome {
    shape result;
    complaint problem = complaint::none;
  };
  static constexpr outcome value = [] {
    const shape x = shape_of_type<typename X::extents_type>;
    const shape index[] = {shape_of_type<typename I::extents_type>...};
    int most = 0;
    for (const shape& s : index) most = s.rank > most ? s.rank : most;
    if (count > x.rank || most + x.rank - count > max_rank) return outcome{{}, complaint::rank};
    typed_extents table;
    const shape result = selected_extents(table, x, index, count);
    return outcome{result, table.mismatch ? complaint::extents : complaint::none};
  }();
  static constexpr complaint problem = value.problem;
  using type =
      expr<typename X::element,
           typename extents_of_shape<
               value.result, typename joined<typename I::extents_type..., typename X::extents_type>::type>::type>;
};

/// Where the rows lie that integers name, in a tensor whose first axes are joined to one.
struct row_positions {
  shape whole;    ///< of the tensor
  shape rows;     ///< with the first axes as one
  shape part;     ///< of what is selected: (extents of the integers, ...)
  shape changed;  ///< with the axes of the integers as one
  term index;     ///< (m): of each row, checked

  template <expression I>
  constexpr row_positions(graph& g, term x, const I& rows_of_x) : row_positions(g, x, std::tuple{rows_of_x}) {}
  template <class... I>
  constexpr row_positions(graph& g, term x, const std::tuple<I...>& several) : whole(x.extents()) {
    constexpr int count = sizeof...(I);
    const auto terms =
        std::apply([&](const auto&... i) { return std::array<term, count>{typed_layer::term_in(g, i)...}; }, several);
    shape shapes[count];
    for (int i = 0; i < count; ++i) shapes[i] = terms[static_cast<std::size_t>(i)].extents();
    part = selected_extents(g.extents, whole, shapes, count);
    shape of_index = part;
    of_index.rank = part.rank - (whole.rank - count);
    extent_code all = 1;
    for (int i = count - 1; i >= 0; --i) {  // the last axis of the joined ones is the innermost
      const term position = cast(check_index(terms[static_cast<std::size_t>(i)], whole[i]), dtype::int64);
      const term offset = i == count - 1 ? position : position * extent_value(g, dtype::int64, all);
      index = index.valid() ? index + offset : offset;
      all = g.extents.multiply(all, whole[i]);
    }
    const extent_code selected = g.extents.elements(of_index);
    index = reshape_term(broadcast_term(index, of_index), {1, {selected}});
    rows.append(all);
    changed.append(selected);
    for (int axis = count; axis < whole.rank; ++axis) rows.append(whole[axis]), changed.append(whole[axis]);
  }
};
}  // namespace typed

/// The elements, or slices of the other axes, at several positions at once: `kt::take(x, std::tuple{i, j})` has x(i, j)
/// for each element of `i` and `j`, integers that broadcast; (extents of the integers, other axes). An index outside
/// its axis is an `index_error` at the call.
template <class X, class... I>
constexpr auto take(const X& x, const std::tuple<I...>& index) {
  constexpr typed::complaint problem = [] {
    if constexpr (!expression<X> || !(expression<I> && ...)) return typed::complaint::operand;
    else if constexpr (!typed::is_index_list<std::tuple<I...>>) return typed::complaint::type;
    else return typed::index_rule<X, std::tuple<I...>>::problem;
  }();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse<problem, typed::functions::take>(x);
  } else {
    graph::graph& g = *std::apply([&](const auto&... i) { return typed::typed_layer::graph_of(x, i...); }, index);
    const term whole = typed::typed_layer::term_in(g, x);
    const typed::row_positions at(g, whole, index);
    const term rows = graph::take_known_term(graph::reshape_term(whole, at.rows), at.index);
    return typename typed::index_rule<X, std::tuple<I...>>::type(graph::reshape_term(rows, at.part));
  }
}

namespace typed {
/// The extents of `x` with those of `index` in place of an axis.
constexpr shape with_axes(const shape& x, int axis, const shape& index) {
  shape result;
  for (int i = 0; i < axis; ++i) result.append(x[i]);
  for (int i = 0; i < index.rank; ++i) result.append(index[i]);
  for (int i = axis + 1; i < x.rank; ++i) result.append(x[i]);
  return result;
}
/// The order in which axes `from`, ..., `from + count - 1` of `rank` come first, or, where those are first, back.
constexpr std::int64_t moved_to_front(int from, int count, int rank) {
  std::int64_t order = 0;
  int at = 0;
  for (int i = 0; i < count; ++i) order |= static_cast<std::int64_t>(from + i) << (4 * at++);
  for (int i = 0; i < rank; ++i)
    if (i < from || i >= from + count) order |= static_cast<std::int64_t>(i) << (4 * at++);
  return order;
}
}  // namespace typed

/// The slices of `x` at `index`, integers, along an axis: `kt::take(x, index, kt::axis<1>)` of (n, 5) and (3) is (n,
/// 3). An index outside the axis is an `index_error` at the call.
template <class X, class I, class Axis>
constexpr auto take(const X& x, const I& index, Axis) {
  constexpr typed::told_axis at = typed::axis_of<X, Axis>();
  constexpr typed::complaint problem = [&] {
    if constexpr (!expression<X> || !expression<I>) return typed::complaint::operand;
    else if (at.problem != typed::complaint::none) return at.problem;
    else if (!is_integer(dtype_of<typename I::element>)) return typed::complaint::type;
    else return X::rank - 1 + I::rank > max_rank ? typed::complaint::rank : typed::complaint::none;
  }();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse<problem, typed::functions::take>(x, index);
  } else {
    constexpr shape result = typed::with_axes(typed::shape_of_type<typename X::extents_type>, at.number,
                                              typed::shape_of_type<typename I::extents_type>);
    graph::graph& g = *typed::typed_layer::graph_of(x, index);
    const term in_front =
        graph::transpose_term(typed::typed_layer::term_in(g, x), typed::moved_to_front(at.number, 1, X::rank));
    const term taken = graph::take_term(in_front, typed::typed_layer::term_in(g, index));
    const std::int64_t back =
        graph::inverse_permutation(typed::moved_to_front(at.number, I::rank, result.rank), result.rank);
    return typed::typed_layer::typed<typename X::element, result, X, I>(graph::transpose_term(taken, back));
  }
}

}  // namespace kroton
