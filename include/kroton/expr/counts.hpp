// This header has random counts: kt::random::poisson and kt::random::binomial.
#pragma once

#include <kroton/expr/rejection.hpp>
#include <kroton/graph/ops/binomial.hpp>
#include <kroton/graph/ops/poisson.hpp>

namespace kroton {

namespace typed::distributions {
struct poisson : distribution_by_rejection<operands::numeric> {
  static constexpr const char* name = "poisson";
  template <class T, class Bits, class Rate>
  static constexpr auto with(const Bits& bits, const Rate& rate) {
    return bits.template by<ops::poisson>(rate);
  }
};
struct binomial : distribution_by_rejection<operands::numeric> {
  static constexpr const char* name = "binomial";
  static constexpr bool takes_count(int count) { return count == 2; }
  template <class T, class Bits, class Count, class Probability>
  static constexpr auto with(const Bits& bits, const Count& count, const Probability& p) {
    return bits.template by<ops::binomial>(count, p);
  }
};
}  // namespace typed::distributions

namespace random {

/// Poisson numbers: how many events there are where `rate` are expected. `kt::random::poisson<int, n>(3.5)`,
/// `kt::random::poisson(rate)`. A rate is a number or an expression of floats; a negative rate and NaN give NaN, or 0
/// of integers. Beyond 2^53 results are rounded to doubles, and integers that do not hold a result are their largest.
/// The gradient with respect to the rate is zero.
template <class T = void, auto... E, class... P>
constexpr auto poisson(const P&... rate) {
  using otherwise = typename typed::joined_element<P...>::type;
  return typed::draw_by_rejection<typed::distributions::poisson, otherwise, T, E...>(typed::in_double(rate)...);
}

/// Binomial numbers: how many of `count` trials succeed, each with probability p. `kt::random::binomial<int, n>(10,
/// 0.3)`, `kt::random::binomial(count, p)` with the element type of the count, or that of p where the count is a
/// number. A count is a number or an expression of integers or floats, and is rounded down. A count that is negative,
/// infinite or NaN, and a probability outside [0, 1] give NaN, or 0 of integers. The gradients with respect to both are
/// zero.
template <class T = void, auto... E, class... P>
constexpr auto binomial(const P&... parameters) {
  using otherwise = typename typed::joined_element<P...>::type;
  const auto draw = [](const auto& count, const auto&... p) {
    return typed::draw_by_rejection<typed::distributions::binomial, otherwise, T, E...>(
        typed::in_double<operands::numeric>(count), typed::in_double(p)...);
  };
  if constexpr (sizeof...(P) > 0) return draw(parameters...);
  else return typed::draw_by_rejection<typed::distributions::binomial, otherwise, T, E...>();
}

// Refused: extents without an element type.
template <auto First, auto... E, class... P>
constexpr auto poisson(const P&... parameters) {
  return typed::refuse_extents_alone<typed::distributions::poisson, First, E...>(parameters...);
}
template <auto First, auto... E, class... P>
constexpr auto binomial(const P&... parameters) {
  return typed::refuse_extents_alone<typed::distributions::binomial, First, E...>(parameters...);
}

}  // namespace random
}  // namespace kroton
