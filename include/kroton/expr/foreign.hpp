// This header refuses, with one sentence each, operations on what is no expression, such as a tensor or a text, and
// what NumPy or C++ spells otherwise.
#pragma once

#include <kroton/expr/typed_shapes.hpp>

namespace kroton {

/// The result of an operation without an expression among its operands. Every operation on it returns it again, without
/// another error.
struct refused_expression {
  using layer = typed::foreign_layer;
  template <class T, class E>  // a `kt::var` may start as it
  constexpr operator expr<T, E>() const noexcept(sizeof(typed::without_graph<(E::rank < 0)>) > 0) {
    return expr<T, E>(term{});
  }
};

namespace typed {
/// The layer of operands that are not all expressions. Its results have the type of an expression among the operands,
/// if there is one.
struct foreign_layer {
  /// The mistake in operands that are not all expressions.
  template <class... X>
  static constexpr complaint problem = (std::is_base_of_v<refused_expression, X> || ...) ? complaint::said
                                                                                         : complaint::operand;

  template <class Op>
  static constexpr refused_expression stand_in() {
    return {};
  }
  template <class Op, class X, class... Rest>
  static constexpr auto stand_in(const X& x, const Rest&... rest) {
    if constexpr (expression<X>) {
      using T = std::conditional_t<std::is_convertible_v<Op*, comparison<Op>*>, bool, typename X::element>;
      return typed_layer::refused<expr<T, typename X::extents_type>>(x);
    } else {
      return stand_in<Op>(rest...);
    }
  }

  template <class Op, class... X>
  static constexpr auto map(const X&... x) {
    reject<problem<X...>, Op, X...>();
    return stand_in<Op>(x...);
  }
#if defined(__GNUC__) && !defined(__clang__)
  template <class Op, class... X>
  using mapped = decltype(foreign_layer::map<Op>(std::declval<const X&>()...));  // see typed_layer
#else
  template <class Op, class... X>
  using mapped = decltype(foreign_layer::stand_in<Op>(std::declval<const X&>()...));
#endif
  template <class Op, class X>
  static constexpr auto reduce_all(const X&) {
    reject<problem<X>, Op, X>();
    return refused_expression();
  }
  template <class Op, class X, class... Axes>
  static constexpr auto reduce(const X&, Axes...) {
    reject<problem<X>, Op, X>();
    return refused_expression();
  }
  template <class Op, auto, class... X>
  static constexpr auto routine(const X&... x) {
    reject<problem<X...>, Op, X...>();
    return stand_in<Op>(x...);
  }
  template <class Op, class X, class... Axes>
  static constexpr auto along(const X&, Axes...) {
    reject<problem<X>, Op, X>();
    return refused_expression();
  }
  template <class X, class Y>
  static constexpr auto dot(const X& x, const Y& y) {
    reject<problem<X, Y>, ops::dot, X, Y>();
    return stand_in<ops::dot>(x, y);
  }
  template <class X, class I>
  static constexpr auto take(const X& x, const I& index) {
    reject<problem<X, I>, ops::take, X, I>();
    return stand_in<ops::take>(x, index);
  }
};

/// Refuses operands. The result stands in for that of the function.
template <complaint Problem, class Function, class... X>
constexpr auto refuse_with(const X&... x) {
  reject<Problem, Function, shown<X>...>();
  return foreign_layer::stand_in<Function>(x...);
}
/// The same with the sentence for an operand that is no expression, if there is one.
template <complaint Problem, class Function, class... X>
constexpr auto refuse(const X&... x) {
  return refuse_with < (expression<X> && ...) ? Problem : foreign_layer::problem<X...>, Function > (x...);
}

/// Operands of which one is an expression, and one is neither that nor a number.
template <class X, class Y>
concept foreign_pair = (symbolic<X> || symbolic<Y>)&&!(operand<X> && operand<Y>);
}  // namespace typed

// Spelled as in C++ or NumPy.

/// Refused; write `kt::rem` or `kt::mod`.
template <class X, class Y>
  requires(symbolic<X> || symbolic<Y>)
constexpr auto operator%(const X& x, const Y& y) {
  typed::reject<typed::complaint::spelling, X, Y>();
  return typed::foreign_layer::stand_in<ops::mod>(x, y);
}
/// Refused; write `&&`.
template <class X, class Y>
  requires(symbolic<X> || symbolic<Y>)
constexpr auto operator&(const X& x, const Y& y) {
  typed::reject<typed::complaint::spelling, X, Y>();
  return typed::foreign_layer::stand_in<ops::logical_and>(x, y);
}
/// Refused; write `||`.
template <class X, class Y>
  requires(symbolic<X> || symbolic<Y>)
constexpr auto operator|(const X& x, const Y& y) {
  typed::reject<typed::complaint::spelling, X, Y>();
  return typed::foreign_layer::stand_in<ops::logical_or>(x, y);
}
/// Refused; write `!`.
template <symbolic X>
constexpr auto operator~(const X& x) {
  typed::reject<typed::complaint::spelling, X>();
  return typed::foreign_layer::stand_in<ops::logical_not>(x);
}

namespace typed {
/// A named dimension beside a number.
template <class X, class Y>
concept dimension_as_number = (named_extent<X> && (std::is_arithmetic_v<Y> || named_extent<Y>)) ||
                              (std::is_arithmetic_v<X> && named_extent<Y>);
}  // namespace typed

template <class X, class Y>
  requires typed::dimension_as_number<X, Y>
constexpr auto operator<(const X&, const Y&) {
  typed::reject<typed::complaint::dimension_value, X, Y>();
  return false;
}
template <class X, class Y>
  requires typed::dimension_as_number<X, Y>
constexpr auto operator+(const X&, const Y&) {
  typed::reject<typed::complaint::dimension_value, X, Y>();
  return 0;
}
template <class X, class Y>
  requires typed::dimension_as_number<X, Y>
constexpr auto operator-(const X&, const Y&) {
  typed::reject<typed::complaint::dimension_value, X, Y>();
  return 0;
}
template <class X, class Y>
  requires typed::dimension_as_number<X, Y>
constexpr auto operator*(const X&, const Y&) {
  typed::reject<typed::complaint::dimension_value, X, Y>();
  return 0;
}
template <class X, class Y>
  requires typed::dimension_as_number<X, Y>
constexpr auto operator/(const X&, const Y&) {
  typed::reject<typed::complaint::dimension_value, X, Y>();
  return 0;
}

template <expression X, class Extents = graph::in_braces, class... Other>
constexpr auto reshape(const X& x, const Extents&, const Other&...) {
  typed::reject<typed::complaint::brackets, ops::reshape, typed::shown<X>, Extents, Other...>();
  return typed::foreign_layer::stand_in<ops::reshape>(x);
}
template <expression X, class Order = graph::in_braces, class... Other>
constexpr auto permute(const X& x, const Order&, const Other&...) {
  typed::reject<typed::complaint::brackets, ops::transpose, typed::shown<X>, Order, Other...>();
  return typed::foreign_layer::stand_in<ops::transpose>(x);
}
template <int First, int... Rest, expression X>
constexpr auto transpose(const X& x) {
  typed::reject<typed::complaint::brackets, ops::transpose, typed::shown<X>>();
  return typed::foreign_layer::stand_in<ops::transpose>(x);
}
template <symbolic X, std::integral... Axis>
  requires(sizeof...(Axis) > 0)
constexpr auto transpose(const X& x, Axis...) {
  typed::reject<typed::complaint::brackets, ops::transpose, typed::shown<X>>();
  return typed::foreign_layer::stand_in<ops::transpose>(x);
}
template <symbolic X>
constexpr auto cast(const X& x) {
  typed::reject<typed::complaint::brackets, ops::cast, typed::shown<X>>();
  return typed::foreign_layer::stand_in<ops::cast>(x);
}
template <class... Wrong>
constexpr auto concatenate(const Wrong&... wrong) {
  typed::reject<typed::complaint::axis_first, ops::concatenate, Wrong...>();
  return typed::foreign_layer::stand_in<ops::concatenate>(wrong...);
}
template <int Axis, class... Wrong>
constexpr auto concatenate(const Wrong&... wrong) {
  typed::reject<typed::complaint::axis_first, ops::concatenate, Wrong...>();
  return typed::foreign_layer::stand_in<ops::concatenate>(wrong...);
}

// Operators.

template <class X, class Y>
  requires typed::foreign_pair<X, Y>
constexpr auto operator+(const X& x, const Y& y) { return typed::foreign_layer::map<ops::add>(x, y); }
template <class X, class Y>
  requires typed::foreign_pair<X, Y>
constexpr auto operator-(const X& x, const Y& y) { return typed::foreign_layer::map<ops::sub>(x, y); }
template <class X, class Y>
  requires typed::foreign_pair<X, Y>
constexpr auto operator*(const X& x, const Y& y) { return typed::foreign_layer::map<ops::mul>(x, y); }
template <class X, class Y>
  requires typed::foreign_pair<X, Y>
constexpr auto operator/(const X& x, const Y& y) { return typed::foreign_layer::map<ops::div>(x, y); }
template <class X, class Y>
  requires typed::foreign_pair<X, Y>
constexpr auto operator==(const X& x, const Y& y) { return typed::foreign_layer::map<ops::equal>(x, y); }
template <class X, class Y>
  requires typed::foreign_pair<X, Y>
constexpr auto operator!=(const X& x, const Y& y) { return typed::foreign_layer::map<ops::not_equal>(x, y); }
template <class X, class Y>
  requires typed::foreign_pair<X, Y>
constexpr auto operator<(const X& x, const Y& y) { return typed::foreign_layer::map<ops::less>(x, y); }
template <class X, class Y>
  requires typed::foreign_pair<X, Y>
constexpr auto operator<=(const X& x, const Y& y) { return typed::foreign_layer::map<ops::less_equal>(x, y); }
template <class X, class Y>
  requires typed::foreign_pair<X, Y>
constexpr auto operator>(const X& x, const Y& y) { return typed::foreign_layer::map<ops::greater>(x, y); }
template <class X, class Y>
  requires typed::foreign_pair<X, Y>
constexpr auto operator>=(const X& x, const Y& y) { return typed::foreign_layer::map<ops::greater_equal>(x, y); }
template <class X, class Y>
  requires typed::foreign_pair<X, Y>
constexpr auto operator&&(const X& x, const Y& y) { return typed::foreign_layer::map<ops::logical_and>(x, y); }
template <class X, class Y>
  requires typed::foreign_pair<X, Y>
constexpr auto operator||(const X& x, const Y& y) { return typed::foreign_layer::map<ops::logical_or>(x, y); }
template <class X, class Y>
  requires typed::foreign_pair<X, Y>
constexpr auto operator^(const X& x, const Y& y) { return typed::foreign_layer::map<ops::logical_xor>(x, y); }

}  // namespace kroton
