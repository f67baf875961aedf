// This header has the error function and its complement.
#pragma once

#include <kroton/arithmetic/simd/convert.hpp>
#include <kroton/arithmetic/simd/exponential.hpp>

namespace kroton::simd {

// The coefficients of erfc are Chebyshev interpolations made with mpmath at 40 digits, highest power first,
// with the degree that the target type needs.

/// erf(x)/x in x^2, for |x| <= 1; relative error 8e-18, and 1.3e-9 for floats.
template <real T>
inline constexpr auto erf_coefficients = std::to_array<double>(
    {-7.795898827002142e-10, 1.3720064546777686e-08, -1.6208483801871705e-07, 1.6447424703317362e-06,
     -1.492473690741966e-05, 0.00012055294904839707, -0.0008548325975389692, 0.0052239776071164225,
     -0.02686617064323777, 0.11283791670945006, -0.37612638903183543, 1.1283791670955126});
template <>
inline constexpr auto erf_coefficients<float> = std::to_array<double>({7.875875062685488e-05, -0.000801686428716587,
                                                                       0.005189087423433974, -0.026854212010626412,
                                                                       0.11283594715160218, -0.37612626666720334,
                                                                       1.1283791658483509});

/// P and Q of erf(x) = x (c + P/Q) in x^2, up to where it rounds to 1, to a relative error of 2^-54. The
/// constant takes most of what P and Q lose to rounding out of the results near 1. Of floats to 2^-25, which
/// gives 3.2 ulp, or 3.6 without a fused product and sum.
template <real T>
struct erf_fit {
  static constexpr double end = 5.93, constant = 0.1875;
  static constexpr auto numerator = std::to_array<double>(
      {-1.503143349619505e-16, -3.996751667726187e-14, -1.442467561916596e-12, -3.8870868602141565e-11,
       1.6848431096092594e-10, 1.289766974227003e-08, 9.942178470578293e-07, 1.4542401519261611e-05,
       0.00037471380990211563, 0.002766030258112251, 0.040852858040187734, 0.12106123415193247, 0.9408791670955126});
  static constexpr auto denominator = std::to_array<double>(
      {8.855317873846415e-16, 3.3196629404159205e-13, 2.5486428362004134e-11, 1.1241515530405776e-09,
       3.5142123888652646e-08, 8.347298932857971e-07, 1.5493827919985433e-05, 0.00022603595464575134,
       0.0025642013936318245, 0.021983083026967876, 0.13473669283258588, 0.5284287723349024, 1});
};
template <>
struct erf_fit<float> {
  static constexpr float end = 3.925f, constant = 0.25f;
  static constexpr auto numerator = std::to_array<float>(
      {-7.46389969e-06f, -5.17530361e-06f, 1.39571921e-05f, 0.0242064632f, 0.0645774975f, 0.878379166f});
  static constexpr auto denominator =
      std::to_array<float>({3.80554411e-05f, 0.00115757075f, 0.0149326622f, 0.113940284f, 0.501723468f, 1});
};

/// exp(x^2) erfc(x) (1+2x) in t = (x-4)/(x+4) for 0.5 <= x <= 28, relative error 3e-17: the value at t = 0
/// and, highest power first, the coefficients of what is left over t. Of floats in (x-3)/(x+3), to 11 and
/// 7e-10.
template <real T>
inline constexpr double erfc_middle = std::same_as<T, float> ? 1.2530080589556936 : 1.2329951186255526;
template <real T>
inline constexpr auto erfc_coefficients = std::to_array<double>(
    {-9.455982939872743e-09, 7.389680444833914e-08, 5.941337955131871e-08,   -7.811785785175153e-07,
     3.0842678654442027e-07, 5.678446518677392e-06, -1.1230434994851926e-05, -2.4385454299846383e-05,
     0.0001506247026512128,  -0.000199260546967223, -0.0007577739752266992,  0.005031970657505758,
     -0.016197733962200932,  0.03716751546515809,   -0.0663303658198799,     0.09373283500259434,
     -0.10103906603599298,   0.06809705425457811,   0.015379652102614858,    -0.1396211168405616});
template <>
inline constexpr auto erfc_coefficients<float> = std::to_array<double>(
    {-0.00017685548433071335, -0.000681463229184422, 0.0019518922578518946, 0.002499429429574521, -0.023789615173273482,
     0.0683121614226268, -0.11927131586583109, 0.1296449141651821, -0.047562395034422084, -0.1356211017480423});

/// The rounding error of the product of |x| and |y| < 2^100, doubles.
template <real_pack P>
KROTON_INLINE P product_error(const P& x, const P& y, const P& product) noexcept {
  if constexpr (fma_is_fused) {
    return fma(x, y, -product);
  } else {  // Veltkamp and Dekker: the products of half-length numbers are exact
    const auto upper_half = [](const P& z) KROTON_INLINE_LAMBDA {
      const P shifted = z * broadcast<P>(134217729.0);
      return shifted - (shifted - z);
    };
    const P x_high = upper_half(x), x_low = x - x_high, y_high = upper_half(y), y_low = y - y_high;
    return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low;
  }
}

/// erf of doubles, to the accuracy that `T` needs, where |x| <= 1.
template <real T, real_pack P>
KROTON_INLINE P erf_near_zero(const P& x) noexcept {
  return x * polynomial(x * x, erf_coefficients<T>);
}

/// erfc of doubles, to the accuracy that `T` needs, where 0.5 <= x < 26.5; 0 beyond 28.
template <real T, real_pack P>
KROTON_INLINE P erfc_tail(const P& x) noexcept {
  const P one = broadcast<P>(1.0);
  const P a = at_most(x, std::same_as<T, float> ? 16.0 : 28.0);  // further out the result is 0
  const P square = a * a;
  const P centre = broadcast<P>(std::same_as<T, float> ? 3.0 : 4.0);
  const P t = (a - centre) / (a + centre);
  const P numerator = fma(t, polynomial(t, erfc_coefficients<T>), broadcast<P>(erfc_middle<T>));
  if constexpr (std::same_as<T, float>) {
    return exp_of_bounded(-square, numerator / (one + a + a));  // the squares of floats are exact
  } else {
    // One rounding for what the square, the sum and the quotient each lose.
    const P inverse = one / (one + a + a);
    const P quotient = numerator * inverse;
    const P remainder = fma(-(a + a), quotient, numerator) - quotient;
    return exp_of_bounded(-square, quotient + fma(-product_error(a, a, square), quotient, remainder * inverse));
  }
}

template <real_pack P>
KROTON_INLINE P erf(const P& x) noexcept {
  using T = typename P::value_type;
  using fit = erf_fit<T>;
  if constexpr (!P::vectorised) {
    return map_lanes<P>([](auto v) { return std::erf(v); }, x);
  } else {
    const P a = bounded(x, -fit::end, fit::end), square = a * a;
    const P quotient = a * polynomial(square, fit::numerator) / polynomial(square, fit::denominator);
    const P result = fma(a, broadcast<P>(fit::constant), quotient);
    return fma_is_fused ? result : bounded(result, -1, 1);  // two roundings can be too large
  }
}

/// P and Q of exp(a^2) erfc(a) (1+2a) = 1 + a P/Q for floats, 0 <= a <= 10.06, to a relative error of 2^-28.3: fitted
/// with weights until that is level, and rounded one coefficient after another with the others fitted again. The 1
/// takes most of what P and Q lose to rounding out of the result, and all are positive, so that nothing cancels.
struct scaled_erfc_fit {
  static constexpr auto numerator =
      std::to_array<float>({0.00852035079f, 0.09393356f, 0.390565664f, 0.835421681f, 0.871621072f});
  static constexpr auto denominator =
      std::to_array<float>({0.0663643181f, 0.440203935f, 1.39655733f, 2.47745943f, 2.40034032f, 1});
};

/// exp(a^2) erfc(a) of floats, for 0 <= a <= 10.06; beyond it is right to 2^-20.
template <real_pack P>
KROTON_INLINE P scaled_erfc(const P& a) noexcept {
  const P ratio = a * polynomial(a, scaled_erfc_fit::numerator) / polynomial(a, scaled_erfc_fit::denominator);
  const P inverse = broadcast<P>(1) / fma(a, broadcast<P>(2), broadcast<P>(1));
  return fma(ratio, inverse, inverse);
}

/// erfc of floats without doubles.
template <real_pack P>
KROTON_INLINE P erfc_of_floats(const P& x) noexcept {
  const P a = at_most(abs(x), 10.06f);  // further out the result is 0
  const P right = gaussian<2, quick_exp_coefficients>(a, scaled_erfc(a));
  return select(x < broadcast<P>(0), broadcast<P>(2) - right, right);
}

/// 1 - erf(x), without cancellation on the right.
template <real_pack P>
KROTON_INLINE P erfc(const P& x) noexcept {
  using T = typename P::value_type;
  if constexpr (!P::vectorised || !pack<double, P::size>::vectorised) {
    return map_lanes<P>([](auto v) { return std::erfc(v); }, x);
  } else if constexpr (std::same_as<T, float> && fma_is_fused) {
    return erfc_of_floats(x);
  } else {
    using wide = rebind<double, P>;
    const wide w = convert<double>(x);
    const wide size = abs(w), one = broadcast<wide>(1.0);
    const wide tail = erfc_tail<T>(size);
    const wide right = select(size < broadcast<wide>(0.5), one - erf_near_zero<T>(w), tail);
    const wide both = select(w <= broadcast<wide>(-0.5), broadcast<wide>(2.0) - tail, right);
    return convert<T>(both);
  }
}

}  // namespace kroton::simd
