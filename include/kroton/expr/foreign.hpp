// Operators on an expression and something that is none, such as a tensor: refused with one sentence.
#pragma once

#include <kroton/expr/typed_shapes.hpp>

namespace kroton {

template <class X, class Y>
concept foreign_pair = (expression<X> && !operand<Y>) || (expression<Y> && !operand<X>);

template <class Op, class X, class Y>
constexpr auto refuse_foreign(const X& x, const Y& y) {
  reject<complaint::operand, Op, X, Y>();
  const auto result_like = [](const auto& z) {
    using Z = std::remove_cvref_t<decltype(z)>;
    using T = std::conditional_t<std::is_base_of_v<comparison<Op>, Op>, bool, typename Z::element>;
    return typed_layer::refused<expr<T, typename Z::extents_type>>(z);
  };
  if constexpr (expression<X>) return result_like(x);
  else return result_like(y);
}

template <class X, class Y>
  requires foreign_pair<X, Y>
constexpr auto operator+(const X& x, const Y& y) {
  return refuse_foreign<ops::add>(x, y);
}
template <class X, class Y>
  requires foreign_pair<X, Y>
constexpr auto operator-(const X& x, const Y& y) {
  return refuse_foreign<ops::sub>(x, y);
}
template <class X, class Y>
  requires foreign_pair<X, Y>
constexpr auto operator*(const X& x, const Y& y) {
  return refuse_foreign<ops::mul>(x, y);
}
template <class X, class Y>
  requires foreign_pair<X, Y>
constexpr auto operator/(const X& x, const Y& y) {
  return refuse_foreign<ops::div>(x, y);
}
template <class X, class Y>
  requires foreign_pair<X, Y>
constexpr auto operator==(const X& x, const Y& y) {
  return refuse_foreign<ops::equal>(x, y);
}
template <class X, class Y>
  requires foreign_pair<X, Y>
constexpr auto operator!=(const X& x, const Y& y) {
  return refuse_foreign<ops::not_equal>(x, y);
}
template <class X, class Y>
  requires foreign_pair<X, Y>
constexpr auto operator<(const X& x, const Y& y) {
  return refuse_foreign<ops::less>(x, y);
}
template <class X, class Y>
  requires foreign_pair<X, Y>
constexpr auto operator<=(const X& x, const Y& y) {
  return refuse_foreign<ops::less_equal>(x, y);
}
template <class X, class Y>
  requires foreign_pair<X, Y>
constexpr auto operator>(const X& x, const Y& y) {
  return refuse_foreign<ops::greater>(x, y);
}
template <class X, class Y>
  requires foreign_pair<X, Y>
constexpr auto operator>=(const X& x, const Y& y) {
  return refuse_foreign<ops::greater_equal>(x, y);
}

}  // namespace kroton
