// This header refuses operators that would change an expression, such as +=, with one sentence.
#pragma once

#include <kroton/expr/model.hpp>

namespace kroton {

/// Why what `X` refers to does not change: it is a shared variable, an expression, or a part of one, which has no name.
template <class X>
inline constexpr complaint change_problem = is_shared<std::remove_cvref_t<X>>
                                                ? complaint::assignment
                                                : (std::is_lvalue_reference_v<X> ? complaint::changed_expression
                                                                                 : complaint::part_assignment);

template <expression X, class Y>
constexpr auto operator+=(X&& x, const Y&) {
  reject<change_problem<X>, shown<std::remove_cvref_t<X>>, shown<Y>>();
  return refused_like(x);
}
template <expression X, class Y>
constexpr auto operator-=(X&& x, const Y&) {
  reject<change_problem<X>, shown<std::remove_cvref_t<X>>, shown<Y>>();
  return refused_like(x);
}
template <expression X, class Y>
constexpr auto operator*=(X&& x, const Y&) {
  reject<change_problem<X>, shown<std::remove_cvref_t<X>>, shown<Y>>();
  return refused_like(x);
}
template <expression X, class Y>
constexpr auto operator/=(X&& x, const Y&) {
  reject<change_problem<X>, shown<std::remove_cvref_t<X>>, shown<Y>>();
  return refused_like(x);
}
template <expression X, class Y>
constexpr auto operator%=(X&& x, const Y&) {
  reject<change_problem<X>, shown<std::remove_cvref_t<X>>, shown<Y>>();
  return refused_like(x);
}
template <expression X, class Y>
constexpr auto operator&=(X&& x, const Y&) {
  reject<change_problem<X>, shown<std::remove_cvref_t<X>>, shown<Y>>();
  return refused_like(x);
}
template <expression X, class Y>
constexpr auto operator|=(X&& x, const Y&) {
  reject<change_problem<X>, shown<std::remove_cvref_t<X>>, shown<Y>>();
  return refused_like(x);
}
template <expression X, class Y>
constexpr auto operator^=(X&& x, const Y&) {
  reject<change_problem<X>, shown<std::remove_cvref_t<X>>, shown<Y>>();
  return refused_like(x);
}
template <expression X>
constexpr auto operator++(X&& x) {
  reject<change_problem<X>, shown<std::remove_cvref_t<X>>>();
  return refused_like(x);
}
template <expression X>
constexpr auto operator++(X&& x, int) {
  reject<change_problem<X>, shown<std::remove_cvref_t<X>>>();
  return refused_like(x);
}
template <expression X>
constexpr auto operator--(X&& x) {
  reject<change_problem<X>, shown<std::remove_cvref_t<X>>>();
  return refused_like(x);
}
template <expression X>
constexpr auto operator--(X&& x, int) {
  reject<change_problem<X>, shown<std::remove_cvref_t<X>>>();
  return refused_like(x);
}

}  // namespace kroton
