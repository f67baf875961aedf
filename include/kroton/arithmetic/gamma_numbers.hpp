// This header makes gamma numbers of rate 1 from the random bits of an element, by the method of Marsaglia and Tsang:
// the cube of a normal number, accepted by its exact density. All is decided in double.
//
//     bits, shape 2.5  ->  1.83
#pragma once

#include <kroton/arithmetic/further_numbers.hpp>

namespace kroton::simd {

/// A number of at least shape 1: Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.
template <std::same_as<double> T>
KROTON_HD_CALLED T gamma_by_rejection(further_numbers<T>& next, T shape) noexcept {
  const T d = shape - 1.0 / 3, width = 3 * std::sqrt(d);
  for (;;) {
    const T x = next.normal(), t = x / width, square = x * x;
    if (t <= -1) continue;
    const T cube = (1 + t) * (1 + t) * (1 + t), u = next.uniform();
    if (u < std::fma(-0.0331 * square, square, 1.0)) return rounded_product(d, cube);
    // log of the density over that of x: square / 2 + d (1 - cube + log(cube)), which cancels where t is small
    const T bound = t >= -0.25 && t < 0.5
                        ? square / 3 * (horner<draw_constants<T>::log_series>(t) + 0.5 - t / 3)
                        : std::fma(0.5, square, d * std::fma(3.0, log_of_any(1 + t), -t * std::fma(t, t + 3, 3.0)));
    if (log_of_any(u) < bound) return rounded_product(d, cube);
  }
}
/// NaN of a negative shape or NaN. A number of a shape below 1 is one of the next shape times u^(1/shape), of which the
/// logarithm is found.
template <std::same_as<double> T>
KROTON_HD_CALLED T standard_gamma(further_numbers<T> next, T shape) noexcept {
  if (!(shape >= 0)) return std::numeric_limits<T>::quiet_NaN();
  if (shape == 0 || shape == std::numeric_limits<T>::infinity()) return shape;
  if (shape >= 1) return gamma_by_rejection(next, shape);
  const T raised = gamma_by_rejection(next, shape + 1);
  return exp_of(log_of_any(raised) - next.exponential() / shape);
}

}  // namespace kroton::simd
