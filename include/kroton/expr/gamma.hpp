// This header has gamma numbers: kt::random::gamma.
#pragma once

#include <kroton/expr/rejection.hpp>
#include <kroton/graph/ops/standard_gamma.hpp>

namespace kroton {

namespace typed::distributions {
struct gamma : distribution_by_rejection<operands::floating> {
  static constexpr const char* name = "gamma";
  static constexpr bool takes_count(int count) { return count == 1 || count == 2; }
  template <class T, class Bits, class Shape, class... Rate>
  static constexpr auto with(const Bits& bits, const Shape& shape, const Rate&... rate) {
    return (bits.template by<ops::standard_gamma>(shape) / ... / rate);
  }
};
}  // namespace typed::distributions

namespace random {

/// Gamma numbers of a shape, and of rate 1 or the rate given: `kt::random::gamma<float, n>(2.5)`,
/// `kt::random::gamma(shape)`, `kt::random::gamma(shape, rate)`. Both are numbers or expressions of floats. The
/// gradient with respect to the shape is that of the number at the same place in the distribution (implicit
/// reparameterisation), and has no gradient itself; that with respect to the rate is that of `z / rate`. A shape of 0
/// gives 0, a negative one and NaN give NaN.
template <class T = void, auto... E, class... P>
constexpr auto gamma(const P&... parameters) {
  using otherwise = typename typed::joined_element<P...>::type;
  return typed::draw_by_rejection<typed::distributions::gamma, otherwise, T, E...>(typed::in_double(parameters)...);
}
// Refused: extents without an element type.
template <auto First, auto... E, class... P>
constexpr auto gamma(const P&... parameters) {
  return typed::refuse_extents_alone<typed::distributions::gamma, First, E...>(parameters...);
}

}  // namespace random
}  // namespace kroton
