// This header refuses operators that would change an expression, such as +=, with one sentence.
#pragma once

#include <kroton/expr/model.hpp>

namespace kroton {

namespace typed {
/// Why what `X` refers to does not change: it is a shared variable, an expression, or a part of one, which has no name.
template <class X>
inline constexpr complaint change_problem = is_shared<std::remove_cvref_t<X>>
                                                ? complaint::assignment
                                                : (std::is_lvalue_reference_v<X> ? complaint::changed_expression
                                                                                 : complaint::part_assignment);
}  // namespace typed

/// Refused: an expression does not change; write `auto y = ...` with another name.
template <expression X, class Y>
constexpr auto operator+=(X&& x, const Y&) {
  typed::reject<typed::change_problem<X>, typed::shown<std::remove_cvref_t<X>>, typed::shown<Y>>();
  return typed::refused_like(x);
}
/// Refused: an expression does not change; write `auto y = ...` with another name.
template <expression X, class Y>
constexpr auto operator-=(X&& x, const Y&) {
  typed::reject<typed::change_problem<X>, typed::shown<std::remove_cvref_t<X>>, typed::shown<Y>>();
  return typed::refused_like(x);
}
/// Refused: an expression does not change; write `auto y = ...` with another name.
template <expression X, class Y>
constexpr auto operator*=(X&& x, const Y&) {
  typed::reject<typed::change_problem<X>, typed::shown<std::remove_cvref_t<X>>, typed::shown<Y>>();
  return typed::refused_like(x);
}
/// Refused: an expression does not change; write `auto y = ...` with another name.
template <expression X, class Y>
constexpr auto operator/=(X&& x, const Y&) {
  typed::reject<typed::change_problem<X>, typed::shown<std::remove_cvref_t<X>>, typed::shown<Y>>();
  return typed::refused_like(x);
}
/// Refused: an expression does not change; write `auto y = ...` with another name.
template <expression X, class Y>
constexpr auto operator%=(X&& x, const Y&) {
  typed::reject<typed::change_problem<X>, typed::shown<std::remove_cvref_t<X>>, typed::shown<Y>>();
  return typed::refused_like(x);
}
/// Refused: an expression does not change; write `auto y = ...` with another name.
template <expression X, class Y>
constexpr auto operator&=(X&& x, const Y&) {
  typed::reject<typed::change_problem<X>, typed::shown<std::remove_cvref_t<X>>, typed::shown<Y>>();
  return typed::refused_like(x);
}
/// Refused: an expression does not change; write `auto y = ...` with another name.
template <expression X, class Y>
constexpr auto operator|=(X&& x, const Y&) {
  typed::reject<typed::change_problem<X>, typed::shown<std::remove_cvref_t<X>>, typed::shown<Y>>();
  return typed::refused_like(x);
}
/// Refused: an expression does not change; write `auto y = ...` with another name.
template <expression X, class Y>
constexpr auto operator^=(X&& x, const Y&) {
  typed::reject<typed::change_problem<X>, typed::shown<std::remove_cvref_t<X>>, typed::shown<Y>>();
  return typed::refused_like(x);
}
/// Refused: an expression does not change; write `auto y = ...` with another name.
template <expression X>
constexpr auto operator++(X&& x) {
  typed::reject<typed::change_problem<X>, typed::shown<std::remove_cvref_t<X>>>();
  return typed::refused_like(x);
}
/// Refused: an expression does not change; write `auto y = ...` with another name.
template <expression X>
constexpr auto operator++(X&& x, int) {
  typed::reject<typed::change_problem<X>, typed::shown<std::remove_cvref_t<X>>>();
  return typed::refused_like(x);
}
/// Refused: an expression does not change; write `auto y = ...` with another name.
template <expression X>
constexpr auto operator--(X&& x) {
  typed::reject<typed::change_problem<X>, typed::shown<std::remove_cvref_t<X>>>();
  return typed::refused_like(x);
}
/// Refused: an expression does not change; write `auto y = ...` with another name.
template <expression X>
constexpr auto operator--(X&& x, int) {
  typed::reject<typed::change_problem<X>, typed::shown<std::remove_cvref_t<X>>>();
  return typed::refused_like(x);
}

}  // namespace kroton
