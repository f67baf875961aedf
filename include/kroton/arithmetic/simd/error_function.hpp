// This header has the error function and its complement.
#pragma once

#include <kroton/arithmetic/simd/convert.hpp>
#include <kroton/arithmetic/simd/exponential.hpp>

namespace kroton::simd {

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

/// R of exp(x^2) erfc(x) (1+2x) = 1 + (1+t) R(t), t = (x-4)/(x+4), for 0 <= x <= 28, to a relative error of 2e-17,
/// highest power first. The 1 takes most of what R loses to rounding out of the result, and is all of it at 0. Of
/// floats in (x-3)/(x+3), to 16 and 8e-10. Both are Chebyshev interpolations made with mpmath at 60 digits.
template <real T>
inline constexpr auto erfc_coefficients = std::to_array<double>(
    {9.284095321024103e-10,  -7.984199533884893e-11,  -1.4008206837507663e-08, -1.2246997021319789e-09,
     1.1299329491373962e-07, -4.136984018894299e-08,  -7.870394809333829e-07,  1.0826290477437223e-06,
     4.629551927796216e-06,  -1.5852158818752647e-05, -8.548227496442547e-06,  0.00015916999139328894,
     -0.0003584263375880644, -0.0003993469494909909,  0.005431316862703661,    -0.021629050923235596,
     0.05879656646798599,    -0.12512693227980404,    0.21885976727770234,     -0.3198988333140297,
     0.3879958875687353,     -0.3726162354661151,     0.2329951186255525});
template <>
inline constexpr auto erfc_coefficients<float> = std::to_array<double>(
    {3.180386866086125e-05, 8.860842103445623e-05, -0.00022493549009809983, -0.0005676026265650669,
     0.0024680390588978935, 6.988370692183287e-05, -0.023841768425615396, 0.09214782651511311, -0.2114215572453533,
     0.34106688879872266, -0.38862916829591954, 0.2530080580571069});

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

/// erfc of doubles, to the accuracy that `T` needs, where 0 <= x < 26.5; 0 beyond 28.
template <real T, real_pack P>
KROTON_INLINE P erfc_on_right(const P& x) noexcept {
  const P one = broadcast<P>(1.0);
  const P a = at_most(x, std::same_as<T, float> ? 16.0 : 28.0);  // further out the result is 0
  const P square = a * a;
  const P centre = broadcast<P>(std::same_as<T, float> ? 3.0 : 4.0);
  const P scale = one / (a + centre), t = fma(centre * broadcast<P>(-2.0), scale, one);
  const P above_one = (a + a) * scale * polynomial(t, erfc_coefficients<T>), numerator = one + above_one;
  if constexpr (std::same_as<T, float>) {
    return exp_of_bounded(-square, numerator / (one + a + a));  // the squares of floats are exact
  } else {
    // One rounding for what the square, the sums and the quotient each lose.
    const P inverse = one / (one + a + a);
    const P quotient = numerator * inverse;
    const P remainder = fma(-(a + a), quotient, numerator) - quotient + (above_one - (numerator - one));
    const P lost = product_error(a, a, square);
    return exp_of_bounded(-square, quotient + fma(-lost, quotient, remainder * inverse));
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
    const wide right = erfc_on_right<T>(abs(w));
    return convert<T>(select(w < broadcast<wide>(0.0), broadcast<wide>(2.0) - right, right));
  }
}

}  // namespace kroton::simd
