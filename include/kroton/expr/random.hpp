// This header has random numbers as expressions: kt::random::uniform, normal, bernoulli and others.
//
// The numbers of a draw depend on the seed of the session, on the call, on the draw and on the position of the element
// alone, so that all devices draw the same numbers. A draw that is used twice in a call has the same numbers there, so
// that gradients see the numbers of the values. The next call draws others.
#pragma once

#include <kroton/expr/functions.hpp>

#include <utility>

namespace kroton {

namespace typed {
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
/// The distributions, whose names stand in error messages.
namespace distributions {
struct uniform : distribution<operands::floating, 2> {
  static constexpr const char* name = "uniform";
  using distribution::with;
  template <class Z>
  static constexpr Z standard(graph& g, const shape& s) {
    return Z(draw_uniform<typename Z::element>(g, s));
  }
  template <class T, class Z, class Low, class High>
  static constexpr auto with(const Z& z, const Low& low, const High& high) {
    return low + (high - low) * z;
  }
};
struct normal : distribution<operands::floating, 2> {
  static constexpr const char* name = "normal";
  using distribution::with;
  template <class Z>
  static constexpr Z standard(graph& g, const shape& s) {
    return Z(draw_with<ops::standard_normal, typename Z::element>(g, s));
  }
  template <class T, class Z, class Mean, class Deviation>
  static constexpr auto with(const Z& z, const Mean& mean, const Deviation& deviation) {
    check_deviation(name, z, deviation);
    return mean + deviation * z;
  }
};
struct exponential : distribution<operands::floating, 1> {
  static constexpr const char* name = "exponential";
  using distribution::with;
  template <class Z>
  static constexpr Z standard(graph& g, const shape& s) {
    return Z(draw_with<ops::standard_exponential, typename Z::element>(g, s));
  }
  template <class T, class Z, class Rate>
  static constexpr auto with(const Z& z, const Rate& rate) {
    return z / rate;
  }
};
struct bernoulli : distribution<operands::floating, 1, true> {
  static constexpr const char* name = "bernoulli";
  template <class Z>
  static constexpr Z standard(graph& g, const shape& s) {
    return Z(draw_uniform<typename Z::element>(g, s));
  }
  template <class T, class Z, class Probability>
  static constexpr auto with(const Z& z, const Probability& p) {
    check_probability(name, z, p);
    return z < p;
  }
};
struct integers : distribution<operands::integral, 2, true> {
  static constexpr const char* name = "integers";
  template <class Z>
  static constexpr auto standard(graph& g, const shape& s) {
    return expr<std::uint64_t, typename Z::extents_type>(draw_bits<64>(g, s));
  }
  template <class T, class Z, class Low, class High>
  static constexpr auto with(const Z& bits, const Low& low, const High& high) {
    if constexpr (literal<Low> && literal<High>) {
      graph& g = *bits.untyped().owner;
      if (std::cmp_less_equal(high, low)) g.report(mistake::empty_range);
      else constant_of(g, dtype_of<T>, dtype_of<T>, high - 1, name);  // reports what `T` does not hold
      const auto count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
      return low + kroton::cast<T>(typed_layer::map<ops::scaled_bits>(bits, full_like(bits, count)));
    } else {
      const auto count = where(low < high, kroton::cast<std::uint64_t>(wide<T>(high) - wide<T>(low)), 0);
      return low + kroton::cast<T>(typed_layer::map<ops::scaled_bits>(bits, count));
    }
  }

 private:
  /// A bound in 64 bits, in which differences of bounds are right.
  template <class T, class X>
  static constexpr auto wide(const X& x) {
    if constexpr (literal<X>) return x;
    else return kroton::cast<std::conditional_t<std::is_unsigned_v<T>, std::uint64_t, std::int64_t>>(x);
  }
};
struct categorical {
  static constexpr const char* name = "categorical";
};
struct choice {
  static constexpr const char* name = "choice";
};
}  // namespace distributions

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

/// The mistake in the weights of `categorical`.
template <class P, bool IsOnePerRow>
constexpr complaint categorical_problem() {
  if constexpr (!expression<P>) return foreign_layer::problem<P>;
  else if constexpr (!is_floating(dtype_of<typename P::element>)) return complaint::type;
  else return P::rank == 1 || (IsOnePerRow && P::rank > 1) ? complaint::none : complaint::rank;
}
}  // namespace typed

namespace random {

/// Uniform numbers in [0, 1): `kt::random::uniform<float, batch, 64>()`. In [low, high) with two more arguments, which
/// are numbers or expressions: `kt::random::uniform<float, n>(-1, 1)`, or `kt::random::uniform(low, high)` with the
/// element type and extents of these. A product that is rounded up can be `high` itself. Where `low` is greater, the
/// numbers are in (high, low].
template <class T = void, auto... E, class... P>
constexpr auto uniform(const P&... parameters) {
  return typed::draw_either<typed::distributions::uniform, T, E...>(parameters...);
}

/// Normal numbers, of mean 0 and standard deviation 1, or of those given as numbers or expressions:
/// `kt::random::normal<float, batch, 64>()`, `kt::random::normal(mean, deviation)`. Gradients with respect to both are
/// those of `mean + deviation * z`. A number that is a negative deviation does not compile. Floats reach to 6.3
/// deviations, doubles to 8.2.
template <class T = void, auto... E, class... P>
constexpr auto normal(const P&... parameters) {
  return typed::draw_either<typed::distributions::normal, T, E...>(parameters...);
}

/// Exponential numbers of rate 1, or of the rate given: `kt::random::exponential<float, n>(0.5)`,
/// `kt::random::exponential(rate)`.
template <class T = void, auto... E, class... P>
constexpr auto exponential(const P&... parameters) {
  return typed::draw_either<typed::distributions::exponential, T, E...>(parameters...);
}

/// Integers in [low, high): `kt::random::integers<int, n>(0, 10)`, `kt::random::integers(low, high)`. An empty range of
/// expressions gives `low`.
template <class T = void, auto... E, class... P>
constexpr auto integers(const P&... parameters) {
  return typed::draw_either<typed::distributions::integers, T, E...>(parameters...);
}

/// True with a probability, which is a number or an expression of floats: `kt::random::bernoulli<bool, batch,
/// 64>(0.5)`, `kt::random::bernoulli(p)`. A number outside [0, 1] does not compile. With another element type, 1 or 0.
template <class T = void, auto... E, class... P>
constexpr auto bernoulli(const P&... probability) {
  using typed::distributions::bernoulli;
  if constexpr (std::is_void_v<T>) {
    return typed::draw_like_parameters<bernoulli>(probability...);
  } else if constexpr (!arithmetic::is_element<T>) {
    return typed::refuse_made<typed::complaint::element, bernoulli, T, E...>(&probability...);
  } else {
    using drawn = typename typed::joined_element<P...>::type;
    return cast<T>(typed::draw_of_extents<bernoulli, drawn, E...>(probability...));
  }
}

/// Positions along the last axis of `weights`, each with a probability that is its share of the weights (which are not
/// negative) along that axis: `kt::random::categorical(weights)` has the extents of the other axes, and
/// `kt::random::categorical<n>(weights)` draws n positions from one vector. The smallest of exponential numbers of
/// these rates is the first with these probabilities. There is no gradient.
template <auto... E, class P>
constexpr auto categorical(const P& weights) {
  using typed::distributions::categorical;
  constexpr typed::complaint problem = typed::categorical_problem<P, sizeof...(E) == 0>();
  if constexpr (problem != typed::complaint::none) {
    typed::reject<problem, categorical, P>();
    return typed::foreign_layer::stand_in<categorical>(weights);
  } else if constexpr (sizeof...(E) == 0) {
    return argmin(exponential(weights), axis<-1>);
  } else {
    using extents_type = typename typed::joined<typed::extents_of<E...>, typename P::extents_type>::type;
    const term t = weights.untyped();
    const extent_code last = t.extents()[0];
    shape s = typed::graph_shape_of(*t.owner, 1, typed::extents_of<E...>());
    s.append(last);
    using drawn = expr<typename P::element, extents_type>;
    return argmin(typed::distributions::exponential::standard<drawn>(*t.owner, s) / weights, axis<-1>);
  }
}

/// Rows of `x`, drawn with replacement, each as likely as the others: `kt::random::choice<batch>(images)`.
template <auto... E, class X>
constexpr auto choice(const X& x) {
  using typed::distributions::choice;
  if constexpr (!expression<X>) {
    typed::reject<typed::foreign_layer::problem<X>, choice, X>();
    return refused_expression();
  } else if constexpr (X::rank == 0) {
    typed::reject<typed::complaint::rank, choice, typename X::expression>();
    return typed::refused_like(x);
  } else {
    const term t = x.untyped();
    kroton::graph::graph& g = *t.owner;
    const extent_code first = t.extents()[0];
    const term rows = kroton::graph::extent_value(g, dtype::uint64, first);
    const shape s = typed::graph_shape_of(g, 1, typed::extents_of<E...>());
    const expr<std::int64_t, typed::extents_of<E...>> position(cast(
        kroton::graph::graph_layer::map<ops::scaled_bits>(kroton::graph::draw_bits<64>(g, s), rows), dtype::int64));
    if constexpr (sizeof...(E) == 0) return x[position];
    else return take(x, position);
  }
}
/// The same with weights as in `categorical`, one for each row: `kt::random::choice<batch>(images, weights)`.
template <auto... E, class X, class P>
constexpr auto choice(const X& x, const P& weights) {
  if constexpr (sizeof...(E) == 0) return x[categorical(weights)];
  else return take(x, categorical<E...>(weights));
}

// Refused: extents without an element type.

template <auto First, auto... E, class... P>
constexpr auto uniform(const P&... parameters) {
  return typed::refuse_extents_alone<typed::distributions::uniform, First, E...>(parameters...);
}
template <auto First, auto... E, class... P>
constexpr auto normal(const P&... parameters) {
  return typed::refuse_extents_alone<typed::distributions::normal, First, E...>(parameters...);
}
template <auto First, auto... E, class... P>
constexpr auto exponential(const P&... parameters) {
  return typed::refuse_extents_alone<typed::distributions::exponential, First, E...>(parameters...);
}
template <auto First, auto... E, class... P>
constexpr auto integers(const P&... parameters) {
  return typed::refuse_extents_alone<typed::distributions::integers, First, E...>(parameters...);
}
template <auto First, auto... E, class... P>
constexpr auto bernoulli(const P&... parameters) {
  return typed::refuse_extents_alone<typed::distributions::bernoulli, First, E...>(parameters...);
}

}  // namespace random
}  // namespace kroton
