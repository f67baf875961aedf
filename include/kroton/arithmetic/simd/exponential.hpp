// This header has exponentials and logarithms, and the logistic functions made of them, within 4 units in the last
// place everywhere.
#pragma once

#include <kroton/arithmetic/simd/exponent.hpp>

namespace kroton::simd {

// The largest errors in these files are over all floats, with AVX-512 or else the worst of AVX2 and SSE2, and
// over dense samples of doubles.

/// (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2, to a relative error of exp(r) - 1 of 2^-26 or 2^-55.
template <real T>
inline constexpr auto expm1_coefficients = std::to_array<double>({2.5060970777704977e-08, 2.7626357835484753e-07,
                                                                  2.7557385015552165e-06, 2.4801504393939378e-05,
                                                                  0.0001984126974406898, 0.0013888888932399297,
                                                                  0.008333333333377997, 0.04166666666657362,
                                                                  0.16666666666666607, 0.5000000000000006});
template <>
inline constexpr auto expm1_coefficients<float> = std::to_array<float>({0.0013860832f, 0.00836655032f, 0.0416675434f,
                                                                        0.166665435f, 0.49999997f});

/// The same for |r| <= ln(2), to a relative error of exp(r) of 2^-26 or 2^-56.
template <real T>
inline constexpr auto wide_exp_coefficients =
    std::to_array<double>({1.5934456956492771e-10, 2.106259040014179e-09, 2.5055056636713832e-08, 2.755615493415658e-07,
                           2.7557300483270054e-06, 2.4801590843229416e-05, 0.0001984126989331771, 0.0013888888883553257,
                           0.00833333333326915, 0.04166666666670224, 0.1666666666666694, 0.4999999999999993});
template <>
inline constexpr auto wide_exp_coefficients<float> =
    std::to_array<float>({0.000196312467f, 0.00141055591f, 0.00833596289f, 0.0416611955f, 0.166666165f, 0.500000358f});

/// exp(r) for |r| <= ln(2)/2, to a relative error of 2^-26, in one product and sum less.
inline constexpr auto quick_exp_coefficients =
    std::to_array<float>({0.00139336498f, 0.00836915523f, 0.0416664667f, 0.166665047f, 0.5f, 1, 1});

/// The same to 2^-23.1, in another one less.
inline constexpr auto rough_exp_coefficients =
    std::to_array<float>({0.00828960817f, 0.0418993644f, 0.166676506f, 0.499991387f, 0.999999702f, 1});

/// ln(2) in two numbers, the first so short that its products with exponents are exact.
template <real T>
inline constexpr T ln2_high = std::same_as<T, float> ? T(0.693145751953125) : T(0.693147180369123816490);
template <real T>
inline constexpr T ln2_low = std::same_as<T, float> ? T(1.42860682030941723212e-6) : T(1.90821492927058770002e-10);

/// exp(x) for |x| <= scale_step * ln(2)/2.
template <real_pack P>
KROTON_INLINE P exp_near_zero(const P& x) noexcept {
  using T = typename P::value_type;
  if constexpr (std::same_as<T, float> && has_exponents) {
    return polynomial(x, quick_exp_coefficients);
  } else {
    constexpr auto coefficients = [] {
      if constexpr (scale_step == 1) return expm1_coefficients<T>;
      else return wide_exp_coefficients<T>;
    }();
    return broadcast<P>(T{1}) + fma(x * x, polynomial(x, coefficients), x);
  }
}

/// exp(x), times a factor if there is one, where the power of two fits in `scale`. The product is rounded
/// once even if it is denormal.
template <real_pack P, std::same_as<P>... Factor>
KROTON_INLINE P exp_of_bounded(const P& x, const Factor&... factor) noexcept {
  using T = typename P::value_type;
  const P shifted = fma(x, broadcast<P>(T(1.4426950408889634074 / scale_step)), broadcast<P>(to_whole<T>));
  const P n = shifted - broadcast<P>(to_whole<T>);
  const P near = fma(n, broadcast<P>(-scale_step * ln2_high<T>), x);
  const P rest = fma(n, broadcast<P>(-scale_step * ln2_low<T>), near);
  return scale((exp_near_zero(rest) * ... * factor), shifted);
}

/// The coefficients of p(by * x), from those of p(x).
template <std::size_t Count>
consteval auto of_multiple(std::array<float, Count> coefficients, float by) {
  float power = 1;
  for (std::size_t i = Count; i-- > 0; power *= by) coefficients[i] *= power;
  return coefficients;
}

/// exp(-Halves/2 * a^2) times a factor, of floats where products are fused. The square is not rounded before the
/// exponent is reduced: the exponential would magnify that.
template <int Halves, const auto& Coefficients, real_pack P>
KROTON_INLINE P gaussian(const P& a, const P& factor) noexcept {
  static_assert(fma_is_fused && std::same_as<typename P::value_type, float>);
  constexpr float half = -0.5f * Halves, step = scale_step / half;
  const P shifted = fma(a * broadcast<P>(1.44269504f / step), a, broadcast<P>(to_whole<float>));
  const P n = shifted - broadcast<P>(to_whole<float>);
  const P near = fma(a, a, n * broadcast<P>(-step * ln2_high<float>));  // the product with n is exact
  const P rest = fma(n, broadcast<P>(-step * ln2_low<float>), near);    // the exponent is half of it, or it, negative
  if constexpr (has_exponents) {
    constexpr auto coefficients = of_multiple(Coefficients, half);
    return scale(polynomial(rest, coefficients) * factor, shifted);
  } else {
    return scale(exp_near_zero(rest * broadcast<P>(half)) * factor, shifted);
  }
}

/// Floats within 1 ulp, doubles within 1.4.
template <real_pack P>
KROTON_INLINE P exp(const P& x) noexcept {
  if constexpr (!P::vectorised) return map_lanes<P>([](auto v) { return std::exp(v); }, x);
  else  // at these bounds the result is 0 or infinite already
    return exp_of_bounded(bounded(x, by_type<P>(-104.0f, -746.0), by_type<P>(89.0f, 710.0)));
}

/// Floats within 2.1 ulp, doubles within 1.6.
template <real_pack P>
KROTON_INLINE P exp2(const P& x) noexcept {
  using T = typename P::value_type;
  if constexpr (!P::vectorised) {
    return map_lanes<P>([](auto v) { return std::exp2(v); }, x);
  } else {
    const P a = bounded(x, by_type<P>(-151.0f, -1076.0), by_type<P>(129.0f, 1025.0));
    const P shifted = fma(a, broadcast<P>(T(1.0 / scale_step)), broadcast<P>(to_whole<T>));
    const P n = shifted - broadcast<P>(to_whole<T>);
    const P rest = fma(n, broadcast<P>(T(-scale_step)), a);
    return scale(exp_near_zero(rest * broadcast<P>(T(0.69314718055994530942))), shifted);
  }
}

/// exp(x) - 1 for x < 2^7, or 2^10 for doubles, where a zero may lose its sign.
template <real_pack P>
KROTON_INLINE P expm1_of_bounded(const P& x) noexcept {
  using T = typename P::value_type;
  // Half of the power of two, which itself can be infinite where the result is not.
  const P half_shift = broadcast<P>(to_whole<T> - 1);
  const P shifted = fma(x, broadcast<P>(T(1.4426950408889634074)), half_shift);
  const P n = shifted - half_shift, half = power_of_two(shifted);
  const P rest = fma(n, broadcast<P>(-ln2_low<T>), fma(n, broadcast<P>(-ln2_high<T>), x));
  const P near = fma(rest * rest, polynomial(rest, expm1_coefficients<T>), rest);
  const P result = fma(near, half, half - broadcast<P>(T(0.5)));
  return result + result;
}

/// exp(x) - 1 without cancellation near 0. Floats within 1.7 ulp, doubles within 2.2.
template <real_pack P>
KROTON_INLINE P expm1(const P& x) noexcept {
  if constexpr (!P::vectorised) return map_lanes<P>([](auto v) { return std::expm1(v); }, x);
  else return copysign(expm1_of_bounded(bounded(x, -40, by_type<P>(89.0f, 710.0))), x);
}

/// 1/(1+exp(-x)), written so that the small results on the left keep their relative accuracy. Floats
/// within 3.5 ulp, doubles within 3.0.
template <real_pack P>
KROTON_INLINE P sigmoid(const P& x) noexcept {
  const P one = broadcast<P>(typename P::value_type{1});
  if constexpr (!P::vectorised) {
    return map_lanes<P>([](auto v) { return sigmoid(v); }, x);
  } else {  // on the right the result is 1 long before exp is infinite
    const P e = exp_of_bounded(bounded(x, by_type<P>(-104.0f, -746.0), 40));
    return e / (one + e);
  }
}

}  // namespace kroton::simd
