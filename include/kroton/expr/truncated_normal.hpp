// This header has normal numbers that are in an interval: kt::random::truncated_normal.
#pragma once

#include <kroton/expr/draw.hpp>

namespace kroton {

namespace typed::distributions {
/// Without bounds, numbers in [-2, 2]; with bounds, quantiles of a number between the probabilities of the bounds. Each
/// probability is also reckoned from the other end of the distribution, where it is small for high bounds, so that all
/// tails have all digits.
struct truncated_normal : distribution<operands::floating, 4> {
  static constexpr const char* name = "truncated_normal";
  static constexpr bool takes_count(int count) { return count == 0 || count == 2 || count == 4; }

  template <class Z>
  static constexpr auto standard(graph& g, const shape& s) {
    using T = typename Z::element;
    constexpr int digits = std::is_same_v<T, double> ? 52 : 32;
    using bits = typename ops::random_bits<digits>::bits;
    return expr<bits, typename Z::extents_type>(draw_bits<digits>(g, s));
  }
  template <class T, class Bits>
  static constexpr auto with(const Bits& bits) {
    return number<T, ops::truncated_normal>(bits);
  }
  template <class T, class Bits, class Mean, class Deviation>
  static constexpr auto with(const Bits& bits, const Mean& mean, const Deviation& deviation) {
    check_deviation(name, bits, deviation);
    return mean + deviation * with<T>(bits);
  }
  template <class T, class Bits, class Mean, class Deviation, class Low, class High>
  static constexpr auto with(const Bits& bits, const Mean& mean_given, const Deviation& deviation_given,
                             const Low& low_given, const High& high_given) {
    check_deviation(name, bits, deviation_given);
    const auto mean = as_expression<T>(bits, mean_given);
    const auto deviation = as_expression<T>(bits, deviation_given);
    const auto low = as_expression<T>(bits, low_given);
    const auto high = as_expression<T>(bits, high_given);
    // where a bound is infinite, its distance would have the gradient infinity times 0
    const auto a = (maximum(low, mean - limit * deviation) - mean) / deviation;
    const auto b = (minimum(high, mean + limit * deviation) - mean) / deviation;
    const auto share = number<T, ops::open_interval<false>>(bits), rest = number<T, ops::open_interval<true>>(bits);
    const auto below = rest * normal_cdf(a) + share * normal_cdf(b);
    const auto above = rest * normal_cdf(-a) + share * normal_cdf(-b);
    const auto is_below = below < above;
    const auto end = normal_quantile(maximum(where(is_below, below, above), least<T>));
    return minimum(maximum(mean + deviation * where(is_below, end, -end), low), high);
  }

 private:
  /// The number of deviations from the mean beyond which the probability is 0.
  static constexpr double limit = simd::normal_limit;
  /// A probability whose quantile is finite.
  template <class T>
  static constexpr double least = std::is_same_v<T, double> ? 1e-307
                                  : std::is_same_v<T, half> ? 6e-8
                                                            : 1e-37;

  template <class T, class Op, class Bits>
  static constexpr auto number(const Bits& bits) {
    return kroton::cast<T>(typed_layer::map<Op>(bits));
  }
  template <class T, class Bits, class X>
  static constexpr auto as_expression(const Bits& bits, const X& x) {
    if constexpr (literal<X>) return expr<T, extents<>>(constant(*bits.untyped().owner, dtype_of<T>, x));
    else return x;
  }
};
}  // namespace typed::distributions

namespace random {

/// Normal numbers that are no further than two standard deviations from the mean, or in [low, high], each number as
/// likely as it is in the whole distribution: `kt::random::truncated_normal<float, 64>()`, of mean 0 and deviation 1,
/// `kt::random::truncated_normal(mean, deviation)`, `kt::random::truncated_normal(mean, deviation, low, high)`. All are
/// numbers or expressions, `low < high`, and one bound may be infinite. Gradients are those of the numbers as
/// functions of the parameters. An interval that begins further from the mean than 12 deviations, or 37 of doubles,
/// gives its nearer end.
template <class T = void, auto... E, class... P>
constexpr auto truncated_normal(const P&... parameters) {
  return typed::draw_either<typed::distributions::truncated_normal, T, E...>(parameters...);
}
// Refused: extents without an element type.
template <auto First, auto... E, class... P>
constexpr auto truncated_normal(const P&... parameters) {
  using typed::distributions::truncated_normal;
  return typed::refuse_extents_alone<truncated_normal, First, E...>(parameters...);
}

}  // namespace random
}  // namespace kroton
