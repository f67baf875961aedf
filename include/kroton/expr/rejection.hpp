// This header has what distributions share that reject numbers: poisson, binomial, gamma. They are drawn in double,
// from 64 random bits for each element, and then converted to the element type of the result.
//
//     poisson<int, n>(rate), rate of float  ->  cast<int>(ops::poisson(64 bits, cast<double>(rate)))
#pragma once

#include <kroton/expr/draw.hpp>

namespace kroton {

namespace typed {
/// The random bits of a new draw.
template <class Extents>
struct drawn_bits {
  expr<std::uint64_t, Extents> all;

  /// The numbers that `Op` makes of them.
  template <class Op, class... P>
  constexpr auto by(const P&... parameters) const {
    return typed_layer::map<Op>(all, number(parameters)...);
  }

 private:
  template <class X>
  constexpr auto number(const X& x) const {
    if constexpr (literal<X>)
      return expr<double, extents<>>(constant(*all.untyped().owner, dtype::float64, static_cast<double>(x)));
    else return x;
  }
};

/// A distribution of numbers of type double. `Results`: the element types to which they may be converted.
template <operands Results>
struct distribution_by_rejection : distribution<operands::floating, 1, true> {
  static constexpr operands results = Results;
  template <class Z>
  static constexpr auto standard(graph& g, const shape& s) {
    using E = typename Z::extents_type;
    return drawn_bits<E>{expr<std::uint64_t, E>(draw_bits<64>(g, s))};
  }
};

/// A parameter in double, if it is an expression whose element type `Takes` has.
template <operands Takes = operands::floating, class X>
constexpr auto in_double(const X& x) {
  if constexpr (!expression<X>) return x;
  else if constexpr (accepts(Takes, dtype_of<typename X::element>)) return kroton::cast<double>(x);
  else return x;
}

/// What was drawn as elements of `T`; what was refused as it is.
template <class T, class X>
constexpr auto converted(const X& drawn) {
  if constexpr (expression<X>) return kroton::cast<T>(drawn);
  else return drawn;
}

/// A draw of `Which`, with parameters in double. The element type is `T`, or `Otherwise` where there are no brackets.
template <class Which, class Otherwise, class T, auto... E, class... P>
constexpr auto draw_by_rejection(const P&... p) {
  if constexpr (std::is_void_v<T>) {
    return converted<Otherwise>(draw_like_parameters<Which>(p...));
  } else if constexpr (!arithmetic::is_element<T>) {
    return refuse_made<complaint::element, Which, T, E...>(&p...);
  } else if constexpr (!accepts(Which::results, dtype_of<T>)) {
    return refuse_made<complaint::type, Which, T, E...>(&p...);
  } else {
    return converted<T>(draw_of_extents<Which, double, E...>(p...));
  }
}
}  // namespace typed

}  // namespace kroton
