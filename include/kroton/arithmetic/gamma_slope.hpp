// This header has the slope of gamma numbers: by how much the number x of shape a changes with a, at the same place in
// the distribution. With the distribution function F(a, x) it is -(dF/da) / (dF/dx): Figurnov, Mohamed and Mnih,
// "Implicit reparameterization gradients", 2018. It is made of operations that all processors round alike.
//
//     shape 2, x 1.5  ->  0.937; relative errors are below 1e-10
#pragma once

#include <kroton/arithmetic/further_numbers.hpp>

namespace kroton::simd {

/// Coefficients of the asymptotic series of the digamma function in 1/x^2, from the highest power.
inline constexpr std::array<double, 7> digamma_series{1.0 / 12,  -691.0 / 32760, 1.0 / 132, -1.0 / 240,
                                                      1.0 / 252, -1.0 / 120,     1.0 / 12};
/// The derivative of log(gamma(x)), for x > 0.
template <std::same_as<double> T>
KROTON_HD_CALLED T digamma(T x) noexcept {
  T lost = 0;
  for (; x < 10; ++x) lost += 1 / x;
  const T r = 1 / (x * x);
  return std::fma(-r, horner<digamma_series>(r), log_of_any(x) - 0.5 / x - lost);
}

/// Below the mean: F is x^a exp(-x) / gamma(a+1) times the sum of x^n / ((a+1) ... (a+n)).
template <std::same_as<double> T>
KROTON_HD_CALLED T gamma_slope_by_series(T a, T x) noexcept {
  T term = 1, slope_of_term = 0, sum = 1, slope_of_sum = 0;
  for (T n = 1; n < 4000; ++n) {
    const T divisor = a + n;
    term = term * x / divisor;
    slope_of_term = std::fma(slope_of_term, x, -term) / divisor;
    sum += term;
    slope_of_sum += slope_of_term;
    if (term < 0x1p-55 * sum && slope_of_term > 0x1p-55 * slope_of_sum) break;
  }
  return -x / a * std::fma(sum, log_of_any(x) - digamma(a + 1), slope_of_sum);
}
/// Above the mean: 1 - F is x^a exp(-x) / gamma(a) times the continued fraction 1/(x+1-a - 1(1-a)/(x+3-a - ...)), whose
/// convergents are the products of c and d, by Lentz.
template <std::same_as<double> T>
KROTON_HD_CALLED T gamma_slope_by_fraction(T a, T x) noexcept {
  T b = x + 1 - a, d = 1 / b, slope_of_d = d * d, inverse_c = 0, slope_of_inverse = 0;
  T fraction = d, slope_of_fraction = slope_of_d;
  for (T n = 1; n < 4000; ++n) {
    const T factor = n * (a - n);  // whose slope is n, as that of b is -1
    b += 2;
    const T c = std::fma(factor, inverse_c, b),
            slope_of_c = std::fma(factor, slope_of_inverse, std::fma(n, inverse_c, -1.0));
    const T slope_of_divisor = std::fma(factor, slope_of_d, std::fma(n, d, -1.0));
    d = 1 / std::fma(factor, d, b);
    slope_of_d = -(d * d) * slope_of_divisor;
    inverse_c = 1 / c;
    slope_of_inverse = -(inverse_c * inverse_c) * slope_of_c;
    const T step = rounded_product(c, d), slope_of_step = std::fma(slope_of_c, d, c * slope_of_d);
    slope_of_fraction = std::fma(slope_of_fraction, step, fraction * slope_of_step);
    fraction *= step;
    if (std::fabs(step - 1) < 0x1p-51 && std::fabs(fraction * slope_of_step) < 0x1p-51 * slope_of_fraction) break;
  }
  return x * std::fma(fraction, log_of_any(x) - digamma(a), slope_of_fraction);
}

/// The series of h - h0 in 1/a, whose coefficients are series in h0, from the highest power: Temme, "Asymptotic
/// inversion of incomplete gamma functions", 1992.
inline constexpr std::array<double, 7> first_shift{-101.0 / 16329600, -11.0 / 382725, 5.0 / 18144, -7.0 / 6480,
                                                   1.0 / 1620,        1.0 / 36,       -1.0 / 3};
inline constexpr std::array<double, 6> second_shift{10217.0 / 251942400, 109.0 / 1749600, -1579.0 / 2099520,
                                                    533.0 / 204120,      -7.0 / 2592,     -7.0 / 405};
inline constexpr std::array<double, 5> third_shift{-18442139.0 / 130947062400, 346793.0 / 5290790400,
                                                   29233.0 / 36741600, -63149.0 / 20995200, 449.0 / 102060};
inline constexpr std::array<double, 3> fourth_shift{-449882243.0 / 982102968000, -269383.0 / 4232632320,
                                                    319.0 / 183708};
/// The coefficients of the derivative of a polynomial.
template <std::size_t Count>
constexpr std::array<double, Count - 1> derivative_of(const std::array<double, Count>& coefficients) {
  std::array<double, Count - 1> of{};
  for (std::size_t i = 0; i + 1 < Count; ++i) of[i] = coefficients[i] * static_cast<double>(Count - 1 - i);
  return of;
}
inline constexpr auto slope_of_first_shift = derivative_of(first_shift);
inline constexpr auto slope_of_second_shift = derivative_of(second_shift);
inline constexpr auto slope_of_third_shift = derivative_of(third_shift);
/// Near the mean of a large shape: h^2/2 is m - log(1+m), m = x/a - 1, and F is the probability that a normal number is
/// below sqrt(a) h0. At the same place in the distribution sqrt(a) h0 stays the same.
template <std::same_as<double> T>
KROTON_HD_CALLED T gamma_slope_by_normal(T a, T m) noexcept {
  const T r = 1 / a, root = std::sqrt(-2 * horner<draw_constants<T>::log_series>(m)), h = m * root;
  T shift = 0, h0 = h;
  for (int i = 0; i < 6; ++i) {
    h0 = std::fma(-r, shift, h);
    shift = std::fma(
        r, std::fma(r, std::fma(r, horner<fourth_shift>(h0), horner<third_shift>(h0)), horner<second_shift>(h0)),
        horner<first_shift>(h0));
  }
  const T along = std::fma(r, std::fma(r, horner<slope_of_third_shift>(h0), horner<slope_of_second_shift>(h0)),
                           horner<slope_of_first_shift>(h0));
  const T weighted = std::fma(
      r,
      std::fma(r, std::fma(r, 4 * horner<fourth_shift>(h0), 3 * horner<third_shift>(h0)), 2 * horner<second_shift>(h0)),
      horner<first_shift>(h0));
  // a dh/da: h0 is as 1/sqrt(a), and the shift of order k as 1/a^k beside that
  const T change = std::fma(-0.5 * h0, std::fma(r, along, 1.0), -r * weighted);
  return (1 + m) * std::fma(root, change, 1.0);
}

/// NaN of a negative shape or NaN.
template <std::same_as<double> T>
KROTON_HD_CALLED T gamma_slope(T a, T x) noexcept {
  if (!(a >= 0 && x >= 0)) return std::numeric_limits<T>::quiet_NaN();
  if (x == 0) return 0;
  if (a == std::numeric_limits<T>::infinity()) return 1;
  const T m = (x - a) / a;
  if (a >= 100 && std::fabs(m) < 0.25) return gamma_slope_by_normal(a, m);
  return x < a + 1 ? gamma_slope_by_series(a, x) : gamma_slope_by_fraction(a, x);
}

}  // namespace kroton::simd
