// This header has what selects as many elements as a call says, up to a number: kt::nonzero, kt::compress and
// kt::unique.
//
//     kt::compress<4>(x, x > 0) of {3, -1, 2}  ->  values {3, 2, 0, 0}, count 2
//
// The number of elements of a tensor cannot depend on what is in others. So the results have the number that is given
// as their extent, and say how many of them count.
#pragma once

#include <kroton/expr/gathered.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct nonzero;
struct compress;
struct unique;
}  // namespace functions

/// The positions (count) of the elements of a mask (n) that hold, and n behind them; `total`, int64, is set to how many
/// there are.
constexpr term positions_that_hold(term mask, extent_code count, term& total) {
  graph& g = *mask.owner;
  const term ranks = cumsum(cast(mask, dtype::int64), 0);
  total = reduce_term<ops::sum>(cast(mask, dtype::int64), 1);
  return call_routine<ops::searchsorted>(along_form{0}, ranks, iota(g, dtype::int64, count) + 1);
}
template <class T, extent_code Count, class... X>
constexpr auto selection_of(term t) {
  constexpr shape s = {1, {Count}};
  return typed_layer::typed<T, s, X...>(t);
}
template <std::int64_t Count, class M>
constexpr complaint mask_problem() {
  if constexpr (!expression<M>) return complaint::operand;
  else if constexpr (!std::is_same_v<typename M::element, bool>) return complaint::condition;
  else if constexpr (M::rank != 1) return complaint::rank;
  else return Count < 0 ? complaint::counts : complaint::none;
}
}  // namespace typed

/// Positions, and how many of them count.
template <class Index, class Count>
struct positions {
  Index index;
  Count count;
};
/// The positions of the elements of a mask, a vector of bool, that hold: `auto [index, count] = kt::nonzero<4>(x > 0);`
/// has (4) positions, int64, the first ones if there are more. Behind the last one there is the length of the mask.
template <std::int64_t Count, class M>
constexpr auto nonzero(const M& mask) {
  constexpr typed::complaint problem = typed::mask_problem<Count, M>();
  if constexpr (problem != typed::complaint::none) {
    const auto refused = typed::refuse<problem, typed::functions::nonzero>(mask);
    using stand_in = std::remove_cvref_t<decltype(refused)>;
    return positions<stand_in, stand_in>{refused, refused};
  } else {
    term total;
    const auto index =
        typed::selection_of<std::int64_t, Count, M>(typed::positions_that_hold(mask.untyped(), Count, total));
    const expr<std::int64_t, extents<>> count(total);
    return positions<std::remove_cvref_t<decltype(index)>, expr<std::int64_t, extents<>>>{index, count};
  }
}

/// Rows, and how many of them count.
template <class Values, class Count>
struct selected {
  Values values;
  Count count;
};
/// The rows of `x` (n, ...) where a mask (n) holds, in their order: `auto [values, count] = kt::compress<4>(x, x > 0);`
/// has (4, ...) rows, the first ones if there are more, and zeros behind the last one. Gradients go to where the rows
/// were.
template <std::int64_t Count, class X, class M>
constexpr auto compress(const X& x, const M& mask) {
  constexpr typed::complaint problem = [] {
    if constexpr (!expression<X>) return typed::complaint::operand;
    else if (typed::mask_problem<Count, M>() != typed::complaint::none) return typed::mask_problem<Count, M>();
    else if constexpr (X::rank == 0) return typed::complaint::rank;
    else if constexpr (expression<M>) {
      typed::typed_extents table;
      table.unify(typed::shape_of_type<typename X::extents_type>[0], typed::shape_of_type<typename M::extents_type>[0],
                  "compress");
      return table.mismatch ? typed::complaint::extents : typed::complaint::none;
    } else return typed::complaint::operand;
  }();
  if constexpr (problem != typed::complaint::none) {
    const auto refused = typed::refuse<problem, typed::functions::compress>(x, mask);
    using stand_in = std::remove_cvref_t<decltype(refused)>;
    return selected<stand_in, stand_in>{refused, refused};
  } else {
    constexpr shape result = typed::with_extent(typed::shape_of_type<typename X::extents_type>, 0, Count);
    graph::graph& g = *typed::typed_layer::graph_of(x, mask);
    const term rows = typed::typed_layer::term_in(g, x), m = typed::typed_layer::term_in(g, mask);
    g.extents.unify(rows.extents()[0], m.extents()[0], "compress");
    term total;
    const term at = typed::positions_that_hold(m, Count, total);
    const auto values = typed::typed_layer::typed<typename X::element, result, X>(typed::rows_or_zeros(rows, at));
    return selected<std::remove_cvref_t<decltype(values)>, expr<std::int64_t, extents<>>>{
        values, expr<std::int64_t, extents<>>(total)};
  }
}

/// Different values, how often each occurs, and how many they are.
template <class Values, class Counts, class Count>
struct unique_values {
  Values values;
  Counts counts;
  Count count;
};
/// The different elements of a vector in ascending order: `auto [values, counts, count] = kt::unique<4>(x);` has (4)
/// values and how often each occurs, int64, the smallest ones if there are more, and zeros behind the last one. NaNs
/// are one value, the last.
template <std::int64_t Count, class X>
constexpr auto unique(const X& x) {
  constexpr typed::complaint problem = [] {
    if constexpr (!expression<X>) return typed::complaint::operand;
    else if constexpr (std::is_same_v<typename X::element, bool>) return typed::complaint::type;
    else if constexpr (X::rank != 1) return typed::complaint::rank;
    else return Count < 0 ? typed::complaint::counts : typed::complaint::none;
  }();
  if constexpr (problem != typed::complaint::none) {
    const auto refused = typed::refuse<problem, typed::functions::unique>(x);
    using stand_in = std::remove_cvref_t<decltype(refused)>;
    return unique_values<stand_in, stand_in, stand_in>{refused, refused, refused};
  } else {
    using graph::slice_term;
    const term sorted = sort(x).untyped();
    graph::graph& g = *sorted.owner;
    const extent_code length = sorted.extents()[0], first = g.extents.minimum(length, 1),
                      rest = g.extents.subtract(length, first);
    const term before = slice_term(sorted, {0, 1, 0}, rest), after = slice_term(sorted, {0, 1, first}, rest);
    term differs = before != after;
    if constexpr (is_floating(dtype_of<typename X::element>)) differs = differs && !(isnan(before) && isnan(after));
    const term begins[] = {graph::broadcast_term(graph::constant_of_bits(g, dtype::boolean, 1), {1, {first}}), differs};
    const term begins_value = graph::concatenate_term(begins, 2, 0);
    term total;
    const term at = typed::positions_that_hold(begins_value, Count + 1, total);
    const term here = slice_term(at, {0, 1, 0}, Count), next = slice_term(at, {0, 1, 1}, Count);
    const auto values = typed::selection_of<typename X::element, Count, X>(typed::rows_or_zeros(sorted, here));
    const auto counts = typed::selection_of<std::int64_t, Count, X>(next - here);
    return unique_values<std::remove_cvref_t<decltype(values)>, std::remove_cvref_t<decltype(counts)>,
                         expr<std::int64_t, extents<>>>{values, counts, expr<std::int64_t, extents<>>(total)};
  }
}

}  // namespace kroton
