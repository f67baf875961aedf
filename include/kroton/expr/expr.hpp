// This header has expressions, which users write with. The type of an expression has its element type and extents;
// while a function is captured, the expression holds a node of the graph.
#pragma once

#include <kroton/expr/check.hpp>
#include <kroton/expr/extents.hpp>
#include <kroton/graph/ops.hpp>

namespace kroton {

namespace typed {
struct typed_layer;
namespace functions {  // names for error messages
struct var;
}  // namespace functions
template <class X>
struct refused_part;
template <class X>
constexpr auto refused_like(const X& x);
template <class X, class I>
constexpr auto element_at(const X& x, const I& index);
/// Whether `x[i]` takes an `I`: an integer, or a scalar expression of integers.
template <class I>
inline constexpr bool is_position = [] {
  if constexpr (requires { typename I::expression; }) return I::rank == 0 && is_position<typename I::element>;
  else return std::is_integral_v<I> && !std::is_same_v<I, bool>;
}();
}  // namespace typed

namespace tensors {
template <class T, int Rank>
class tensor;
template <class T, int Rank>
class view;
}  // namespace tensors

namespace typed {
/// Whether `X` is an argument of a compiled function, which no expression is.
template <class X>
inline constexpr bool is_value = tensor_like<X> && !symbolic<X>;
template <class T, int Rank>
inline constexpr bool is_value<tensors::view<T, Rank>> = true;
}  // namespace typed

/// A symbolic tensor of element type `T`: what variables, shared variables and operations are. Users write its type as
/// `kt::var<float, batch, 784>`.
template <class T, class Extents>
class expr {
 public:
  using layer = typed::typed_layer;
  using expression = expr;
  using element = T;
  using extents_type = Extents;
  static constexpr int rank = Extents::rank;
  // in a function, because clang takes a class with a static_assert that failed for none
  static_assert(std::is_void_v<decltype(typed::reject < arithmetic::is_element<T> ? typed::complaint::none
                                                                                  : typed::complaint::element,
                                        T > ())>);

  constexpr explicit expr(term handle) : handle_(handle) {}
  /// The node; for rewrites, debugging and optimisers.
  constexpr term untyped() const { return handle_; }

  /// This constructor refuses. It does so in its body, because std::tuple asks for its exception specification. It is
  /// explicit, because std::tuple also tries `{}` of structs with expressions, and compilers then look into the body.
  explicit constexpr expr() {
    static_cast<void>(sizeof(typed::without_graph<(rank < 0)>));
    typed::reject<typed::complaint::unbound, expr>();
  }
  /// Refused; to double, which conditions, streams and std::exp choose. In the exception specification, because g++
  /// would instantiate the body only where it evaluates the capture, from where the way to the user's line is long.
  constexpr operator double() const noexcept(std::is_void_v<decltype(typed::reject<typed::complaint::value, expr>())>) {
    mark_refused();
    return 0;
  }
  /// Refused.
  template <class Other, int Rank>
  constexpr operator tensors::tensor<Other, Rank>() const
      noexcept(std::is_void_v<decltype(typed::reject<typed::complaint::value, expr>())>) {
    mark_refused();
    return {};
  }
  /// Refused; what helper functions and assignments choose for an expression of another type.
  template <class Other, class OtherExtents>
  constexpr expr(const expr<Other, OtherExtents>& x) noexcept(
      std::is_void_v<decltype(typed::reject<typed::complaint::conversion, expr, expr<Other, OtherExtents>>())>)
      : expr(expr<Other, OtherExtents>::layer::template refused<expr>(x)) {}
  /// Refused; what a function of a model chooses that is called with tensors, views or numbers: once, whatever they
  /// are.
  template <class Value>
    requires typed::is_value<Value>
  constexpr expr(const Value&) noexcept(
      std::is_void_v<
          decltype(typed::reject<typed::complaint::value_for_variable,
                                 std::conditional_t<typed::is_value<Value>, typed::functions::var, Value>>())> &&
      sizeof(typed::without_graph<(rank < 0)>) > 0)
      : expr(term{}) {}

  constexpr expr(const expr&) = default;
  constexpr expr& operator=(const expr&) & = default;
  /// Refused: `x[rows(0, 2)] = y` would change nothing.
  template <class Value>
  constexpr auto operator=(const Value&) && {
    typed::reject<typed::complaint::part_assignment, expr, Value>();
    mark_refused();
  }

  /// A range of rows, `x[rows(0, n)]`, or of another axis, `x[cols(2, 5)]`, `x[range(axis<2>, 0, n)]`; what is at a
  /// position of the first axis, `x[i]`, or of several, `x[at(i, j)]`.
  template <class Range>
  constexpr auto operator[](const Range& range) const {
    if constexpr (requires { Range::selects_elements; }) {
      return range.of(*this);
    } else if constexpr (rank > 0 && typed::is_position<Range>) {
      return typed::element_at(*this, range);
    } else {
      typed::reject<typed::complaint::index, expr, Range>();
      return typed::refused_part<expr>(typed::refused_like(*this));
    }
  }

  /// Refused: what a `for` loop over an expression calls.
  constexpr const expr* begin() const
      noexcept(std::is_void_v<decltype(typed::reject<typed::complaint::iteration, expr>())>) {
    mark_refused();
    return this;
  }
  constexpr const expr* end() const { return this; }

 protected:
  /// The graph has an operation that was refused.
  constexpr void mark_refused() const {
    if (handle_.owner != nullptr) handle_.owner->problem = {graph::mistake::refused};
  }

 private:
  term handle_;
};

namespace typed {
/// The stand-in for a refused part: an assignment to it gives no other error.
template <class X>
struct refused_part : X {
  constexpr explicit refused_part(const X& x) : X(x) {}
  constexpr void operator=(const auto&) const {}
};
}  // namespace typed

// g++ shows the name of the second parameter to users who give a type; extents_of is spelled out for shorter errors.

/// A tensor variable of element type `T`: `var<float, batch, 784>`, `var<int>` for a scalar. It is the type of every
/// expression with these extents, so functions of variables take any such expression.
template <class T, auto... NumberOrDimensionObject>
using var = expr<T, extents<typename typed::extent_type<NumberOrDimensionObject>::type...>>;

/// An expression of any element type and extents: `constexpr auto twice(const kt::expression auto& x) { return 2 * x;
/// }`.
template <class X>
concept expression = symbolic<X> && requires {
  typename std::remove_cvref_t<X>::expression;
};

}  // namespace kroton
