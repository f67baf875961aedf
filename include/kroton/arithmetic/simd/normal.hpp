// This header has the normal distribution function, and the logarithm of the complementary error function, of packs.
#pragma once

#include <kroton/arithmetic/simd/error_function.hpp>
#include <kroton/arithmetic/simd/logarithm.hpp>
#include <kroton/arithmetic/scalar_normal.hpp>

namespace kroton::simd {

/// Beyond it a normal variable has neither probability nor density.
template <real T>
inline constexpr T normal_end = std::same_as<T, float> ? T(14.5) : T(38.7);

/// R of 2 exp(x*x/2) F(-x) (1+x) = 1 + (1+t) R(t), t = (x-5.5)/(x+5.5), for 0 <= x <= normal_end, where F is the normal
/// distribution function, to a relative error of 2e-17, highest power first; made as `erfc_coefficients`.
inline constexpr auto normal_tail_coefficients = std::to_array<double>(
    {-2.3161622236655983e-09, -5.96184396947407e-09,   1.8050082847819062e-08, 5.1696603165465304e-08,
     -1.3669785684015523e-07, -2.9383228690605226e-07, 1.1899999056527948e-06, 9.296652522155047e-07,
     -1.0316560732433158e-05, 9.346728334500432e-06,   6.837040672214007e-05,  -0.0002494895576084351,
     8.654799342187683e-05,   0.002230878929611957,    -0.010735680794595769,  0.03117864351836671,
     -0.06763857615637742,    0.11624873308911447,     -0.15907600222455426,   0.16350605247412925,
     -0.09113300041563833,    -0.08554497767333746});

/// exp(-a*a/2) times a factor, for 0 <= a <= normal_end. What rounding takes from the square, which the exponential
/// would magnify, is in the factor, so that functions of one a share the exponential.
template <real_pack P>
KROTON_INLINE P half_gaussian(const P& a, const P& factor) noexcept {
  if constexpr (std::same_as<typename P::value_type, float>) {
    return gaussian<1, quick_exp_coefficients>(a, factor);
  } else {
    const P square = a * a, lost = broadcast<P>(0.5) * product_error(a, a, square);
    return exp_of_bounded(broadcast<P>(-0.5) * square, fma(-lost, factor, factor));
  }
}

/// The probability that a standard normal variable is more than a, for 0 <= a <= normal_end.
template <real_pack P>
KROTON_INLINE P normal_tail(const P& a) noexcept {
  using T = typename P::value_type;
  if constexpr (std::same_as<T, float>) {
    return half_gaussian(a, broadcast<P>(0.5f) * scaled_erfc(a * broadcast<P>(T(0.5 * std::numbers::sqrt2))));
  } else {
    const P one = broadcast<P>(1), scale = one / (a + broadcast<P>(5.5)), t = fma(broadcast<P>(-11), scale, one);
    const P above_one = (a + a) * scale * polynomial(t, normal_tail_coefficients);
    const P half = broadcast<P>(0.5) / (a + one);
    return half_gaussian(a, fma(above_one, half, half));
  }
}

/// Whether these functions of P are computed in packs of its own element type.
template <real_pack P>
inline constexpr bool has_normal_tail = P::vectorised && (fma_is_fused || std::same_as<typename P::value_type, double>);

/// The density of the standard normal distribution. Within 4 ulp.
template <real_pack P>
KROTON_INLINE P normal_pdf(const P& x) noexcept {
  using T = typename P::value_type;
  if constexpr (!has_normal_tail<P>) return map_lanes<P>([](T v) { return normal_pdf(v); }, x);
  else return half_gaussian(at_most(abs(x), normal_end<T>), broadcast<P>(T(density_at_0)));
}

/// The probability that a standard normal variable is at most x. Floats and doubles within 4 ulp.
template <real_pack P>
KROTON_INLINE P normal_cdf(const P& x) noexcept {
  using T = typename P::value_type;
  if constexpr (!P::vectorised) {
    return map_lanes<P>([](T v) { return normal_cdf(v); }, x);
  } else if constexpr (!has_normal_tail<P>) {
    return convert<T>(normal_cdf(convert<double>(x)));
  } else {
    const P tail = normal_tail(at_most(abs(x), normal_end<T>));
    return select(x < broadcast<P>(0), tail, broadcast<P>(1) - tail);
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
