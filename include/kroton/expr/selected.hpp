// This header has what selects elements: as many as a call says, up to a number, with kt::nonzero, kt::compress,
// kt::run_lengths and kt::unique, or all in another order, with kt::partition.
//
//     kt::compress<4>(x, x > 0) of {3, -1, 2}  ->  values {3, 2, 0, 0}, count 2
//
// The number of elements of a tensor cannot depend on what is in others. So the results have the number that is given
// as their extent, and say how many of them count.
#pragma once

#include <kroton/expr/gathered.hpp>
#include <kroton/graph/ops/held_positions.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct nonzero;
struct compress;
struct partition;
struct run_lengths;
struct unique;
}  // namespace functions

/// The positions of the elements of a mask (n) that hold, as `form` says; `total`, int64, is set to how many there are.
constexpr term positions_that_hold(term mask, const held_form& form, term& total) {
  const term every = call_routine<ops::held_positions>(form, mask);
  const extent_code count = form.all ? mask.extents()[0] : form.most;
  total = reshape_term(slice_term(every, {0, 1, count}, 1), {});
  return slice_term(every, {0, 1, 0}, count);
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
        typed::selection_of<std::int64_t, Count, M>(typed::positions_that_hold(mask.untyped(), {Count}, total));
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
namespace typed {
template <class X, class M>
constexpr complaint selection_problem() {
  if constexpr (!expression<X> || !expression<M>) return complaint::operand;
  else if (mask_problem<0, M>() != complaint::none) return mask_problem<0, M>();
  else if constexpr (X::rank == 0) return complaint::rank;
  else {
    typed_extents table;
    table.unify(shape_of_type<typename X::extents_type>[0], shape_of_type<typename M::extents_type>[0], "compress");
    return table.mismatch ? complaint::extents : complaint::none;
  }
}
/// Values of which `total` count.
template <class Values>
constexpr auto selected_of(const Values& values, term total) {
  using number = expr<std::int64_t, extents<>>;
  return selected<Values, number>{values, number(total)};
}
template <class Name, complaint Problem, class X, class Y>
constexpr auto refused_selection(const X& x, const Y& y) {
  const auto refused = refuse<Problem, Name>(x, y);
  using stand_in = std::remove_cvref_t<decltype(refused)>;
  return selected<stand_in, stand_in>{refused, refused};
}
/// The rows of `x` at the positions of a mask that `Form` says, `Count` of them.
template <class Name, held_form Form, extent_code Count, complaint Problem, class X, class M>
constexpr auto selected_rows(const X& x, const M& mask) {
  if constexpr (Problem != complaint::none) {
    return refused_selection<Name, Problem>(x, mask);
  } else {
    constexpr shape result = with_extent(shape_of_type<typename X::extents_type>, 0, Count);
    graph& g = *typed_layer::graph_of(x, mask);
    const term rows = typed_layer::term_in(g, x), m = typed_layer::term_in(g, mask);
    g.extents.unify(rows.extents()[0], m.extents()[0], "compress");
    term total;
    const term at = positions_that_hold(m, Form, total);
    const term taken = Form.all ? take_known_term(rows, at) : rows_or_zeros(rows, at);
    return selected_of(typed_layer::typed<typename X::element, result, X>(taken), total);
  }
}
}  // namespace typed

/// The rows of `x` (n, ...) where a mask (n) holds, in their order: `auto [values, count] = kt::compress<4>(x, x > 0);`
/// has (4, ...) rows, the first ones if there are more, and zeros behind the last one. Gradients go to where the rows
/// were.
template <std::int64_t Count, class X, class M>
constexpr auto compress(const X& x, const M& mask) {
  constexpr typed::complaint of_both = typed::selection_problem<X, M>();
  constexpr typed::complaint problem =
      of_both == typed::complaint::none && Count < 0 ? typed::complaint::counts : of_both;
  return typed::selected_rows<typed::functions::compress, held_form{Count}, Count, problem>(x, mask);
}
/// The rows of `x` (n, ...) where a mask (n) holds, and behind them the others, both in their order:
/// `auto [values, count] = kt::partition(x, x > 0);`, where `count` says how many hold. Gradients go to where the rows
/// were.
template <class X, class M>
constexpr auto partition(const X& x, const M& mask) {
  constexpr typed::complaint problem = typed::selection_problem<X, M>();
  constexpr extent_code count = [] {
    if constexpr (problem == typed::complaint::none) return typed::shape_of_type<typename X::extents_type>[0];
    else return 0;
  }();
  return typed::selected_rows<typed::functions::partition, held_form{0, true}, count, problem>(x, mask);
}

/// Values, how often each occurs, and how many they are.
template <class Values, class Counts, class Count>
struct counted_values {
  Values values;
  Counts counts;
  Count count;
};
namespace typed {
template <std::int64_t Count, class X>
constexpr complaint vector_problem() {
  if constexpr (!expression<X>) return complaint::operand;
  else if constexpr (std::is_same_v<typename X::element, bool>) return complaint::type;
  else if constexpr (X::rank != 1) return complaint::rank;
  else return Count < 0 ? complaint::counts : complaint::none;
}
/// Where an element of a vector differs from the one before it. NaNs are alike.
constexpr term begins_of_runs(term x) {
  graph& g = *x.owner;
  const extent_code length = x.extents()[0], first = g.extents.minimum(length, 1),
                    rest = g.extents.subtract(length, first);
  const term before = slice_term(x, {0, 1, 0}, rest), after = slice_term(x, {0, 1, first}, rest);
  term differs = before != after;
  if (is_floating(x.type())) differs = differs && !(isnan(before) && isnan(after));
  const term begins[] = {broadcast_term(constant_of_bits(g, dtype::boolean, 1), {1, {first}}), differs};
  return concatenate_term(begins, 2, 0);
}
/// The runs of equal elements of a vector.
template <std::int64_t Count, class X>
constexpr auto runs_of(term x) {
  term total;
  const term at = positions_that_hold(begins_of_runs(x), {Count + 1}, total);
  const term here = slice_term(at, {0, 1, 0}, Count), next = slice_term(at, {0, 1, 1}, Count);
  const auto values = selection_of<typename X::element, Count, X>(rows_or_zeros(x, here));
  const auto counts = selection_of<std::int64_t, Count, X>(next - here);
  return counted_values<std::remove_cvref_t<decltype(values)>, std::remove_cvref_t<decltype(counts)>,
                        expr<std::int64_t, extents<>>>{values, counts, expr<std::int64_t, extents<>>(total)};
}
template <class Name, complaint Problem, class X>
constexpr auto refused_counts(const X& x) {
  const auto refused = refuse<Problem, Name>(x);
  using stand_in = std::remove_cvref_t<decltype(refused)>;
  return counted_values<stand_in, stand_in, stand_in>{refused, refused, refused};
}
}  // namespace typed

/// The runs of equal neighbours in a vector: `auto [values, counts, count] = kt::run_lengths<4>(x);` has (4) values and
/// how long the run of each is, int64, the first ones if there are more, and zeros behind the last one. NaNs are equal
/// here.
template <std::int64_t Count, class X>
constexpr auto run_lengths(const X& x) {
  constexpr typed::complaint problem = typed::vector_problem<Count, X>();
  if constexpr (problem != typed::complaint::none)
    return typed::refused_counts<typed::functions::run_lengths, problem>(x);
  else return typed::runs_of<Count, X>(x.untyped());
}
/// The different elements of a vector in ascending order: `auto [values, counts, count] = kt::unique<4>(x);` has (4)
/// values and how often each occurs, int64, the smallest ones if there are more, and zeros behind the last one. NaNs
/// are one value, the last.
template <std::int64_t Count, class X>
constexpr auto unique(const X& x) {
  constexpr typed::complaint problem = typed::vector_problem<Count, X>();
  if constexpr (problem != typed::complaint::none) return typed::refused_counts<typed::functions::unique, problem>(x);
  else return typed::runs_of<Count, X>(sort(x).untyped());
}

}  // namespace kroton
