// This header records draws of random numbers: what distributions have in common, and the draw of one with its
// parameters.
//
//     draw_either<normal, void>(mean, deviation)  ->  z: bits of a new draw, with the extents of mean and deviation
//                                                 ->  what normal::with makes of z: mean + deviation * z
#pragma once

#include <kroton/expr/functions.hpp>

#include <utility>

namespace kroton::typed {

/// Uniform numbers in [0, 1) of a new draw. 16-bit floats are drawn with as many digits as they have.
template <class T>
constexpr term draw_uniform(graph& g, const shape& s) {
  using layer = graph_layer;
  if constexpr (std::is_same_v<T, double>) return layer::map<ops::unit_interval<52>>(draw_bits<52>(g, s));
  else if constexpr (std::is_same_v<T, half>)
    return cast(layer::map<ops::unit_interval<11>>(draw_bits<32>(g, s)), dtype_of<T>);
  else if constexpr (std::is_same_v<T, bfloat16>)
    return cast(layer::map<ops::unit_interval<8>>(draw_bits<32>(g, s)), dtype_of<T>);
  else return layer::map<ops::unit_interval<24>>(draw_bits<32>(g, s));
}
/// Numbers that `Op` makes of the random bits of a new draw.
template <class Op, class T>
constexpr term draw_with(graph& g, const shape& s) {
  if constexpr (std::is_same_v<T, double>) return graph_layer::map<Op>(draw_bits<52>(g, s));
  else return cast(graph_layer::map<Op>(draw_bits<32>(g, s)), dtype_of<T>);
}

/// The element type of the first expression of `P...`, float if there is none.
template <class... P>
struct joined_element {
  using type = float;
};
template <class X, class... P>
struct joined_element<X, P...> : joined_element<P...> {};
template <expression X, class... P>
struct joined_element<X, P...> {
  using type = typename X::element;
};

/// Reports a number that is no probability, or no standard deviation, of the operation that draws `z`. Says whether it
/// may be a probability, as an expression always may.
template <class Z, class P>
constexpr bool check_probability(const char* operation, const Z& z, const P& p) {
  if constexpr (literal<P>)
    if (!(static_cast<double>(p) >= 0 && static_cast<double>(p) <= 1)) {
      z.untyped().owner->report({.what = mistake::probability, .operation = operation});
      return false;
    }
  return true;
}
template <class Z, class P>
constexpr void check_deviation(const char* operation, const Z& z, const P& deviation) {
  if constexpr (literal<P>)
    if (!(static_cast<double>(deviation) >= 0))
      z.untyped().owner->report({.what = mistake::deviation, .operation = operation});
}

/// What distributions have in common. Each has `standard<Z>(g, s)`, a draw of its standard numbers with the extents of
/// the expression type `Z`, and `with<T>(z, parameters...)`, the numbers that parameters make of them.
template <operands Takes, int Parameters, bool NeedsThem = false>
struct distribution {
  static constexpr operands takes = Takes;
  static constexpr bool takes_count(int count) { return count == Parameters || (count == 0 && !NeedsThem); }
  static constexpr bool types_agree(const dtype* types, int count) { return all_equal(types, count); }
  static constexpr dtype result(const dtype* types, int) { return types[0]; }
  template <class T, class Z>
  static constexpr Z with(const Z& z) {
    return z;
  }
};

/// A draw of `Which`, with its parameters `P...`. `Z`: an expression type with the element type and extents.
template <class Which, class Z, class... P>
constexpr auto draw(graph& g, const shape& s, const P&... p) {
  return Which::template with<typename Z::element>(Which::template standard<Z>(g, s), p...);
}

/// The extents of operands that broadcast, in graph `g`.
template <class... P>
constexpr shape common_extents(graph& g, const char* operation, const P&... p) {
  shape s;
  const auto add = [&](const auto& x) {
    if constexpr (expression<std::remove_cvref_t<decltype(x)>>)
      s = broadcast_shape(g.extents, s, typed_layer::term_in(g, x).extents(), operation);
  };
  (add(p), ...);
  return s;
}

/// The mistake in the parameters of a draw, apart from their types and extents.
template <class Which, class... P>
constexpr complaint draw_problem() {
  if (Which::takes_count(sizeof...(P)) && ((expression<P> || literal<P>)&&...)) return complaint::none;
  return foreign_layer::problem<P...> == complaint::said ? complaint::said : complaint::drawing;
}

/// A draw with the element type and extents of its parameters, of which one is an expression.
template <class Which, class... P>
constexpr auto draw_like_parameters(const P&... p) {
  constexpr complaint problem = (expression<P> || ...) ? draw_problem<Which, P...>() : complaint::drawing;
  if constexpr (problem != complaint::none) {
    reject<problem, Which, P...>();
    return foreign_layer::stand_in<Which>(p...);
  } else {
    using rule = map_rule<Which, P...>;
    if constexpr (rule::value.problem != complaint::none) {
      reject<rule::value.problem, Which, shown<P>...>();
      return typed_layer::refused<typename rule::type>(p...);
    } else {
      graph& g = *typed_layer::graph_of(p...);
      return draw<Which, typename rule::type>(g, common_extents(g, Which::name, p...), p...);
    }
  }
}
/// A draw of elements of `T` with the extents `E...`, to which its parameters broadcast.
template <class Which, class T, auto... E, class... P>
constexpr auto draw_of_extents(const P&... p) {
  constexpr complaint made = made_problem<T, false, extents<typename extent_type<E>::type...>, E...>();
  constexpr complaint problem = made == complaint::none ? draw_problem<Which, P...>() : made;
  if constexpr (made != complaint::none) {
    return refuse_made<problem, Which, T, E...>(&p...);
  } else if constexpr (problem != complaint::none) {
    reject<problem, Which, T, P...>();
    return foreign_layer::stand_in<Which>(p...);
  } else {
    using result = expr<T, extents_of<E...>>;
    using rule = map_rule<Which, result, P...>;
    constexpr complaint of_rule = rule::value.problem != complaint::none        ? rule::value.problem
                                  : std::is_same_v<typename rule::type, result> ? complaint::none
                                                                                : complaint::extents;
    graph* const known = typed_layer::graph_of(p...);
    graph& g = known != nullptr ? *known : temporary_graph();
    if constexpr (of_rule != complaint::none) {
      reject<of_rule, Which, result, shown<P>...>();
      return typed_layer::refused<result>(result(constant(g, dtype_of<T>, 0)));
    } else {
      return draw<Which, result>(g, graph_shape_of(g, 1, extents_of<E...>()), p...);
    }
  }
}
/// With the element type and extents in brackets, or those of the parameters where there is no element type.
template <class Which, class T, auto... E, class... P>
constexpr auto draw_either(const P&... p) {
  if constexpr (std::is_void_v<T>) return draw_like_parameters<Which>(p...);
  else return draw_of_extents<Which, T, E...>(p...);
}

/// Refuses extents without an element type.
template <class Which, auto... E, class... P>
constexpr auto refuse_extents_alone(const P&...) {
  reject<complaint::drawing, Which, extents_of<E...>, P...>();
  return refused_expression();
}

}  // namespace kroton::typed
