// This header has scalar functions of the normal distribution and its tails.
#pragma once

#include <kroton/arithmetic/scalar.hpp>

#include <array>

namespace kroton::simd {

/// Beyond it on the left the distribution function and the Gaussian error linear unit are 0, and beyond it on the right
/// the one is 1 and the other its argument, in double too.
inline constexpr double normal_limit = 40;

/// The density of the standard normal distribution at 0.
inline constexpr double density_at_0 = 0.5 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;

/// exp(-x*x/2) for |x| <= normal_limit, with what rounding took from the square, which the exponential would magnify.
template <real T>
KROTON_HD T half_gaussian(T x) noexcept {
  const T square = x * x, lost = std::fma(x, x, -square);
  return std::exp(T(-0.5) * square) * (T{1} - T(0.5) * lost);
}

/// The density of the standard normal distribution.
template <real T>
KROTON_HD T normal_pdf(T x) noexcept {
  return T(density_at_0) * half_gaussian(minimum(std::fabs(x), T(normal_limit)));
}

/// The probability that a standard normal variable is at most x: erfc(-x/sqrt(2))/2, corrected for what rounding took
/// from the argument.
template <real T>
KROTON_HD T normal_cdf(T x) noexcept {
  constexpr T factor = T(-0.5 * std::numbers::sqrt2);
  constexpr T lost_of_factor =
      std::same_as<T, float> ? T(-0.5 * std::numbers::sqrt2 - static_cast<double>(factor)) : T(4.833646656726457e-17);
  const T bounded = minimum(maximum(x, T(-normal_limit)), T(normal_limit)), t = bounded * factor;
  const T lost = std::fma(bounded, factor, -t) + bounded * lost_of_factor;
  return T(0.5) * std::erfc(t) - T(std::numbers::inv_sqrtpi) * lost * half_gaussian(bounded);
}

/// P and Q of P(a)/Q(a) = exp(a^2/2) (1 - F(a)) for floats, 0 <= a <= 14.5, where F is the normal distribution
/// function, to a relative error of 2^-21.2; fitted as the coefficients of packs are, and listed from the highest
/// power.
struct gelu_fit {
  static constexpr auto numerator = std::to_array<float>({0.0171737075f, 0.120062865f, 0.362897098f, 0.499999791f});
  static constexpr auto denominator = std::to_array<float>({0.0430528037f, 0.30075866f, 0.955985546f, 1.52365887f, 1});
  static constexpr float end = 15;  // where the tail is 0

  static KROTON_HD float numerator_at(float a) noexcept {
    return std::fma(std::fma(std::fma(p<0>, a, p<1>), a, p<2>), a, p<3>);
  }
  static KROTON_HD float denominator_at(float a) noexcept {
    return std::fma(std::fma(std::fma(std::fma(q<0>, a, q<1>), a, q<2>), a, q<3>), a, q<4>);
  }

 private:
  // as constants, because device code cannot call constexpr functions of the host
  template <std::size_t K>
  static constexpr float p = numerator[K];
  template <std::size_t K>
  static constexpr float q = denominator[K];
};

/// exp(-a*a/2) for 0 <= a <= gelu_fit::end, times a factor. The exponent is known to twice the digits of a float,
/// because the exponential would magnify what rounding takes from it.
template <std::same_as<float> T>
KROTON_HD T half_gaussian_of_tail(T a, T factor) noexcept {
  constexpr double by = -0.5 * std::numbers::log2e;
  constexpr T high = static_cast<T>(by), low = static_cast<T>(by - high);
  const T square = a * a, lost_of_square = std::fma(a, a, -square);
  const T power = square * high;
  const T lost = std::fma(square, low, std::fma(lost_of_square, high, std::fma(square, high, -power)));
  const T result = quick_exp2(power) * factor;
  return std::fma(result, lost * static_cast<T>(std::numbers::ln2), result);
}

/// The Gaussian error linear unit: x times the probability that a standard normal variable is at most x. Floats to a
/// relative error of 2^-20 down to -13.
template <real T>
KROTON_HD T gelu(T x) noexcept {
  if constexpr (std::same_as<T, float>) {
    const float a = minimum(std::fabs(x), gelu_fit::end);
    return maximum(x, 0.0f) -
           half_gaussian_of_tail(a, quick_quotient(a * gelu_fit::numerator_at(a), gelu_fit::denominator_at(a)));
  } else {
    const T right = maximum(x, T(-normal_limit));  // -inf times 0 would be NaN
    return right * normal_cdf(right);
  }
}

/// Its derivative: that probability, and x times the density. On the right of 0 it is 1 less that of -x.
template <real T>
KROTON_HD T gelu_derivative(T x) noexcept {
  if constexpr (std::same_as<T, float>) {
    const float a = minimum(std::fabs(x), gelu_fit::end);
    const float scaled = quick_quotient(gelu_fit::numerator_at(a), gelu_fit::denominator_at(a));
    const float left = half_gaussian_of_tail(a, std::fma(a, -T(density_at_0), scaled));
    return x < 0 ? left : 1 - left;
  } else {
    const T bounded = minimum(maximum(x, T(-normal_limit)), T(normal_limit));
    return normal_cdf(bounded) + bounded * normal_pdf(bounded);
  }
}

/// From here on erfc is its asymptotic series to rounding, and neither it nor its reciprocal is denormal.
template <real T>
inline constexpr T erfc_tail_start = std::same_as<T, float> ? T(9) : T(26.5);

/// The asymptotic series of erfc, exp(x*x) erfc(x) x sqrt(pi) - 1, in r = 1/(x*x).
template <real T>
KROTON_HD constexpr T erfc_series(T r) noexcept {
  return r * (T(-0.5) + r * (T(0.75) + r * (T(-1.875) + T(6.5625) * r)));
}

/// log(erfc(x)): near 0 erfc is near 1, and far to the right it would underflow.
template <real T>
KROTON_HD T log_erfc(T x) noexcept {
  if (x < T(0.5)) return std::log1p(-std::erf(x));
  if (x < erfc_tail_start<T>) return std::log(std::erfc(x));
  const T inverse = T{1} / x;
  return -x * x - std::log(x * T(1 / std::numbers::inv_sqrtpi)) + std::log1p(erfc_series(inverse * inverse));
}

}  // namespace kroton::simd
