// This header has tensors that are changed at positions along an axis: kt::set_along and kt::inc_along, the
// counterparts of kt::take_along.
//
//     kt::inc_along(x, index, y, kt::axis<1>)   x, to whose (i, index(i, j)) each y(i, j) is added
#pragma once

#include <kroton/expr/changed.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct set_along;
struct inc_along;
}  // namespace functions

/// What is wrong with `Y` as new values at the positions `I` of `X`.
template <class X, class I, class Y>
constexpr complaint along_problem(told_axis at) {
  const along_rule rule = positions_along<X, I>(at);
  if (rule.problem != complaint::none) return rule.problem;
  if constexpr (!expression<X>) return complaint::operand;
  else return values_problem<X, Y>(rule.result);
}
/// `x` with a change by `rows_changed`, of all elements as rows.
template <class X, class I, class Y>
constexpr auto changed_along(const X& x, const I& index, const Y& y, int axis, const auto& rows_changed) {
  graph& g = *typed_layer::graph_of(x, index, y);
  const term whole = typed_layer::term_in(g, x);
  const term at = checked_along(whole, typed_layer::term_in(g, index), axis);
  const shape s = whole.extents(), part = at.extents();  // copies, because new nodes move the graph's shapes
  const shape flat = {1, {g.extents.elements(part)}};
  const term values = reshape_term(as_part(g, whole.type(), part, y), flat);
  const term positions = reshape_term(positions_in_lines(whole, at, axis), flat);
  const term rows = reshape_term(whole, {1, {g.extents.elements(s)}});
  return typename X::expression(reshape_term(rows_changed(rows, positions, values), s));
}
}  // namespace typed

/// `x` with y(i, j) in place of each x(i, index(i, j)), along an axis: `kt::set_along(x, index, y, kt::axis<1>)`.
/// `index` has integers, the other extents of `x`, and the axis of a vector need not be said. `y` is a number, or
/// broadcasts to `index`. Of several for one place, the last one counts. An index outside the axis is an `index_error`
/// at the call.
template <class X, class I, class Y, class... Axis>
constexpr auto set_along(const X& x, const I& index, const Y& y, Axis...) {
  constexpr typed::told_axis at = typed::axis_of<X, Axis...>();
  constexpr typed::complaint problem = typed::along_problem<X, I, Y>(at);
  if constexpr (problem != typed::complaint::none)
    return typed::refuse_with<problem, typed::functions::set_along>(x, index, y);
  else return typed::changed_along(x, index, y, at.number, typed::with_rows);
}
/// `x` with y(i, j) added to each x(i, index(i, j)): `kt::inc_along(x, index, y, kt::axis<1>)`. Several for one place
/// add up.
template <class X, class I, class Y, class... Axis>
constexpr auto inc_along(const X& x, const I& index, const Y& y, Axis...) {
  constexpr typed::told_axis at = typed::axis_of<X, Axis...>();
  constexpr typed::complaint problem = typed::added_problem<X, typed::along_problem<X, I, Y>(at)>();
  if constexpr (problem != typed::complaint::none)
    return typed::refuse_with<problem, typed::functions::inc_along>(x, index, y);
  else return typed::changed_along(x, index, y, at.number, typed::with_rows_added);
}

}  // namespace kroton
