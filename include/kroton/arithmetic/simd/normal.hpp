// This header has the normal distribution function, and the logarithm of the complementary error function, of packs.
#pragma once

#include <kroton/arithmetic/simd/error_function.hpp>
#include <kroton/arithmetic/simd/logarithm.hpp>
#include <kroton/arithmetic/scalar_normal.hpp>

namespace kroton::simd {

/// Twice the probability that a standard normal variable is at most x, of doubles with |x| <= normal_limit:
/// erfc(-x/sqrt(2)), with what the quotient loses to rounding.
template <real_pack P>
KROTON_INLINE P twice_normal_cdf(const P& x) noexcept {
  const P root = broadcast<P>(0.5 * std::numbers::sqrt2), size = abs(x), t = size * root;
  const P lost = product_error(size, root, t) - size * broadcast<P>(4.833646656726457e-17);
  const P tail = erfc_on_right<double>(t, lost);
  return select(x < broadcast<P>(0), tail, broadcast<P>(2) - tail);
}

/// exp(-x*x/2) of doubles with |x| <= normal_limit, with what rounding took from the square, which the exponential
/// would magnify.
template <real_pack P>
KROTON_INLINE P half_gaussian(const P& x) noexcept {
  const P square = x * x, result = exp(broadcast<P>(-0.5) * square);
  return fma(result, broadcast<P>(-0.5) * product_error(x, x, square), result);
}

/// The probability that a standard normal variable is at most x. Floats and doubles within 4 ulp.
template <real_pack P>
KROTON_INLINE P normal_cdf(const P& x) noexcept {
  using T = typename P::value_type;
  constexpr double root = 0.5 * std::numbers::sqrt2;
  if constexpr (!P::vectorised || (std::same_as<T, double> && !fma_is_fused)) {
    return map_lanes<P>([](T v) { return normal_cdf(v); }, x);
  } else if constexpr (std::same_as<T, float> && fma_is_fused) {
    const P a = at_most(abs(x), 14.25f);  // further out the tail is 0
    const P tail = gaussian<1, quick_exp_coefficients>(a, broadcast<P>(0.5f) * scaled_erfc(a * broadcast<P>(T(root))));
    return select(x < broadcast<P>(0), tail, broadcast<P>(1) - tail);
  } else if constexpr (std::same_as<T, float>) {
    using wide = rebind<double, P>;
    return convert<T>(broadcast<wide>(0.5) * erfc(convert<double>(x) * broadcast<wide>(-root)));
  } else {
    return broadcast<P>(0.5) * twice_normal_cdf(bounded(x, -normal_limit, normal_limit));
  }
}

/// log(erfc(x)), without cancellation near 0 and without an end on the right.
template <real_pack P>
KROTON_INLINE P log_erfc(const P& x) noexcept {
  using T = typename P::value_type;
  const P one = broadcast<P>(1), start = broadcast<P>(erfc_tail_start<T>);
  const auto is_left = x < broadcast<P>(T(0.5));
  if constexpr (!P::vectorised) {
    return map_lanes<P>([](T v) { return log_erfc(v); }, x);
  } else if constexpr (std::same_as<T, float> && fma_is_fused) {
    const P a = at_most(x, 1e6f);  // beyond it the logarithm is nothing beside the square
    const P logarithm = log1p(select(is_left, -erf(x), scaled_erfc(at_least(a, 0)) - one));
    return select(is_left, logarithm, fma(-x, x, logarithm));
  } else {
    const P right = maximum(x, start), inverse = one / right;
    constexpr auto coefficients = std::to_array<T>({T(6.5625), T(-1.875), T(0.75), T(-0.5), 0});
    const P series =
        log1p(polynomial(inverse * inverse, coefficients)) - log(right * broadcast<P>(T(1 / std::numbers::inv_sqrtpi)));
    const P middle = log(erfc(minimum(maximum(x, broadcast<P>(T(0.5))), start)));
    return select(is_left, log1p(-erf(x)), select(x < start, middle, series - right * right));
  }
}

}  // namespace kroton::simd
