// This header has logarithms, and log(1+exp(x)).
#pragma once

#include <kroton/arithmetic/simd/exponential.hpp>

namespace kroton::simd {

/// (log(1+f) - f) / f^2 for -1/4 <= f < 1/2, to a relative error of log of 2^-24 for floats, 2^-54 for
/// doubles.
template <real T>
inline constexpr auto log_coefficients = std::to_array<double>(
    {-0.009266589091832362, 0.03257358934383863, -0.05457480946888452, 0.06311590994981914, -0.06427774947815122,
     0.06657157351385949, -0.07121522964548505, 0.07689529883569032, -0.08334400867003146, 0.09091163980807732,
     -0.09999975957337089, 0.11111101569194612, -0.1250000015984563, 0.14285714461515706, -0.1666666666839809,
     0.19999999998506046, -0.24999999999981384, 0.3333333333333755, -0.5});
template <>
inline constexpr auto log_coefficients<float> = std::to_array<float>({0.0555930808f, -0.12114092f, 0.14904657f,
                                                                      -0.167888567f, 0.199822977f, -0.249963582f,
                                                                      0.333334714f, -0.5f});

/// log(1+f) for -1/4 <= f < 1/2.
template <real_pack P>
KROTON_INLINE P log_near_one(const P& f) noexcept {
  return fma(f * f, polynomial(f, log_coefficients<typename P::value_type>), f);
}

/// Within 1.8 ulp.
template <real_pack P>
KROTON_INLINE P log(const P& x) noexcept {
  if constexpr (!P::vectorised) {
    return map_lanes<P>([](auto v) { return std::log(v); }, x);
  } else {
    using T = typename P::value_type;
    const auto [mantissa, exponent] = take_apart(x);
    const P near = log_near_one(mantissa - broadcast<P>(T{1}));
    return log_limits(x, fma(exponent, broadcast<P>(T(0.69314718055994530942)), near));
  }
}

/// Floats within 2.8 ulp, or 3.4 without a fused product and sum; doubles within 2.8.
template <real_pack P>
KROTON_INLINE P log2(const P& x) noexcept {
  if constexpr (!P::vectorised) {
    return map_lanes<P>([](auto v) { return std::log2(v); }, x);
  } else {
    using T = typename P::value_type;
    const auto [mantissa, exponent] = take_apart(x);
    const P near = log_near_one(mantissa - broadcast<P>(T{1}));
    return log_limits(x, fma(near, broadcast<P>(T(1.4426950408889634074)), exponent));
  }
}

/// Within 2.8 ulp.
template <real_pack P>
KROTON_INLINE P log10(const P& x) noexcept {
  if constexpr (!P::vectorised) {
    return map_lanes<P>([](auto v) { return std::log10(v); }, x);
  } else {  // summed up so that what cancels below 1 is exact, since the product comes on top
    using T = typename P::value_type;
    const auto [mantissa, exponent] = take_apart(x);
    const P f = mantissa - broadcast<P>(T{1});
    const P tail = fma(exponent, broadcast<P>(ln2_low<T>), f * f * polynomial(f, log_coefficients<T>));
    const P natural = fma(exponent, broadcast<P>(ln2_high<T>), f) + tail;
    return log_limits(x, natural * broadcast<P>(T(0.43429448190325182765)));
  }
}

/// log(1 + x) without cancellation near 0. Within 1.8 ulp.
template <real_pack P>
KROTON_INLINE P log1p(const P& x) noexcept {
  if constexpr (!P::vectorised) {
    return map_lanes<P>([](auto v) { return std::log1p(v); }, x);
  } else {
    using T = typename P::value_type;
    const P one = broadcast<P>(T{1}), sum = one + x;
    const auto [mantissa, exponent] = take_apart(sum);
    // The rounding error of the sum, which is 0 where the sum is large, counts in its mantissa.
    const P lost = x - (sum - one);
    const P inverse = power_of_two(broadcast<P>(to_whole<T>) - at_most(exponent, T(100)));
    const P near = log_near_one(fma(lost, inverse, mantissa - one));
    const P result = fma(exponent, broadcast<P>(T(0.69314718055994530942)), near);
    const P infinity = broadcast<P>(std::numeric_limits<T>::infinity());
    return copysign(log_limits(sum, select(x == infinity, x, result)), x);
  }
}

/// log(1+exp(x)), which neither overflows on the right nor loses its small results on the left. Floats within
/// 3.6 ulp, doubles within 2.9.
template <real_pack P>
KROTON_INLINE P softplus(const P& x) noexcept {
  using T = typename P::value_type;
  const P zero = broadcast<P>(T{0}), e = exp(-abs(x)), positive = select(x > zero, x, zero);
  if constexpr (!P::vectorised) {
    return positive + log1p(e);
  } else {  // log(1+e) is ln(2) + log((1+e)/2), which differs from 1 by an exact number from e = 1/2 on
    const P half = broadcast<P>(T(0.5));
    const auto small = e < half;
    const P near = log_near_one(select(small, e, e * half - half));
    return positive + (select(small, zero, broadcast<P>(T(0.69314718055994530942))) + near);
  }
}

}  // namespace kroton::simd
