// This header has scalar functions of the normal distribution and its tails.
#pragma once

#include <kroton/arithmetic/scalar.hpp>

namespace kroton::simd {

/// Beyond it on the left the distribution function and the Gaussian error linear unit are 0, and beyond it on the right
/// the one is 1 and the other its argument, in double too.
inline constexpr double normal_limit = 40;

/// exp(-x*x/2) for |x| <= normal_limit, with what rounding took from the square, which the exponential would magnify.
template <real T>
KROTON_HD T half_gaussian(T x) noexcept {
  const T square = x * x, lost = std::fma(x, x, -square);
  return std::exp(T(-0.5) * square) * (T{1} - T(0.5) * lost);
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

/// The Gaussian error linear unit: x times the probability that a standard normal variable is at most x.
template <real T>
KROTON_HD T gelu(T x) noexcept {
  const T right = maximum(x, T(-normal_limit));  // -inf times 0 would be NaN
  return right * normal_cdf(right);
}

/// Its derivative: that probability, and x times the density.
template <real T>
KROTON_HD T gelu_derivative(T x) noexcept {
  constexpr T root = T(0.5 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
  const T bounded = minimum(maximum(x, T(-normal_limit)), T(normal_limit));
  return normal_cdf(bounded) + root * bounded * half_gaussian(bounded);
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
