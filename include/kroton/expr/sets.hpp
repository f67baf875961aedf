// This header has vectors as sets of their elements: kt::isin, kt::set_union, kt::set_intersection and
// kt::set_difference.
//
//     kt::set_difference<3>({5, 1, 3, 1}, {3, 4})  ->  values {1, 5, 0}, count 2
//
// A set has each element once, in ascending order. NaNs are one element, the last.
#pragma once

#include <kroton/expr/selected.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct isin;
struct set_union;
struct set_intersection;
struct set_difference;
}  // namespace functions

template <class X, class Set>
constexpr complaint membership_problem() {
  if constexpr (!expression<X> || !expression<Set>) return complaint::operand;
  else if constexpr (!std::is_same_v<typename X::element, typename Set::element>) return complaint::mixed_types;
  else if constexpr (std::is_same_v<typename X::element, bool>) return complaint::type;
  else return Set::rank == 1 ? complaint::none : complaint::rank;
}
template <std::int64_t Count, class X, class Y>
constexpr complaint sets_problem() {
  if constexpr (membership_problem<X, Y>() != complaint::none) return membership_problem<X, Y>();
  else if constexpr (X::rank != 1) return complaint::rank;
  else return Count < 0 ? complaint::counts : complaint::none;
}
/// Whether each element of `x` is one of `sorted`, which is in ascending order.
template <class X, class Set>
constexpr term is_among(const X& x, const Set& sorted) {
  return (searchsorted(sorted, x, right_side) != searchsorted(sorted, x)).untyped();
}
/// The different elements of `x`, in ascending order, that are wanted: `Count` of them. `wanted(sorted)`: whether each
/// element of the sorted `x` is.
template <std::int64_t Count, class X, class Wanted>
constexpr auto set_of(const X& x, const Wanted& wanted) {
  const auto sorted = sort(x);
  term total;
  const term begins = begins_of_runs(sorted.untyped()) && wanted(sorted);
  const term at = positions_that_hold(begins, {Count}, total);
  return selected_of(selection_of<typename X::element, Count, X>(rows_or_zeros(sorted.untyped(), at)), total);
}
}  // namespace typed

/// Whether each element of `x` is one of the vector `set`, bool (...) as `x`: `kt::isin(x, set)`.
template <class X, class Set>
constexpr auto isin(const X& x, const Set& set) {
  constexpr typed::complaint problem = typed::membership_problem<X, Set>();
  if constexpr (problem != typed::complaint::none) return typed::refuse<problem, typed::functions::isin>(x, set);
  else return expr<bool, typename X::extents_type>(typed::is_among(x, sort(set)));
}
/// The elements that are in one of two vectors: `auto [values, count] = kt::set_union<4>(x, y);` has (4) values, the
/// smallest ones if there are more, and zeros behind the last one.
template <std::int64_t Count, class X, class Y>
constexpr auto set_union(const X& x, const Y& y) {
  constexpr typed::complaint problem = typed::sets_problem<Count, X, Y>();
  if constexpr (problem != typed::complaint::none)
    return typed::refused_selection<typed::functions::set_union, problem>(x, y);
  else {
    const auto [values, counts, count] = unique<Count>(concatenate(axis<0>, x, y));
    return typed::selected_of(values, count.untyped());
  }
}
/// The elements that are in both of two vectors: `auto [values, count] = kt::set_intersection<4>(x, y);`, see
/// kt::set_union.
template <std::int64_t Count, class X, class Y>
constexpr auto set_intersection(const X& x, const Y& y) {
  constexpr typed::complaint problem = typed::sets_problem<Count, X, Y>();
  if constexpr (problem != typed::complaint::none)
    return typed::refused_selection<typed::functions::set_intersection, problem>(x, y);
  else return typed::set_of<Count>(x, [&](const auto& sorted) { return typed::is_among(sorted, sort(y)); });
}
/// The elements of `x` that are not in `y`: `auto [values, count] = kt::set_difference<4>(x, y);`, see kt::set_union.
template <std::int64_t Count, class X, class Y>
constexpr auto set_difference(const X& x, const Y& y) {
  constexpr typed::complaint problem = typed::sets_problem<Count, X, Y>();
  if constexpr (problem != typed::complaint::none)
    return typed::refused_selection<typed::functions::set_difference, problem>(x, y);
  else return typed::set_of<Count>(x, [&](const auto& sorted) { return !typed::is_among(sorted, sort(y)); });
}

}  // namespace kroton
