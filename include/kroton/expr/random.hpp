// This header has random numbers as expressions: kt::random::uniform, normal, bernoulli and others.
//
// The numbers of a draw depend on the seed of the session, on the call, on the draw and on the position of the element
// alone, so that all devices draw the same numbers. A draw that is used twice in a call has the same numbers there, so
// that gradients see the numbers of the values. The next call draws others.
#pragma once

#include <kroton/expr/draw.hpp>

namespace kroton {

namespace typed {
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
