// This header makes random counts: Poisson and binomial numbers, from the random bits of an element. Small means are
// drawn by inversion, which adds up probabilities from 0 on; larger ones by Hoermann's transformed rejection, which
// takes a number that is near a suitable quantile and accepts it by its exact probability. All is decided in double.
//
//     bits, rate 3.5           ->  4
//     bits, count 10, share p  ->  2
#pragma once

#include <kroton/arithmetic/further_numbers.hpp>

namespace kroton::simd {

/// From this mean on numbers are drawn by rejection.
inline constexpr double least_rejected_mean = 10;

/// Coefficients of Stirling's series in 1/k^2, from the highest power.
inline constexpr std::array<double, 6> stirling_series{-691.0 / 360360, 1.0 / 1188, -1.0 / 1680,
                                                       1.0 / 1260,      -1.0 / 360, 1.0 / 12};
/// log(k!) - (k log(k) - k) of a whole number.
template <std::same_as<double> T>
KROTON_HD_CALLED T factorial_rest(T k) noexcept {
  if (k == 0) return 0;
  if (k < 10) {
    T product = 1;
    for (T i = 2; i <= k; ++i) product *= i;
    return std::fma(-k, log_of_any(k), log_of_any(product) + k);
  }
  return std::fma(1 / k, horner<stirling_series>(1 / (k * k)), 0.5 * log_of_any(2 * std::numbers::pi * k));
}
/// k log(k / mean) + mean - k, with all digits where k is near the mean: Loader, "Fast and accurate computation of
/// binomial probabilities", 2000. It grows with the distance from the mean.
template <std::same_as<double> T>
KROTON_HD_CALLED T deviance(T k, T mean) noexcept {
  const T distance = k - mean, half = 0.5 * distance, middle = 0.5 * k + 0.5 * mean;  // a sum may overflow
  if (k == 0) return mean;
  if (!(std::fabs(half) < 0.1 * middle)) return std::fma(k, log_of_any(k / mean), -distance);
  const T v = half / middle;
  T found = distance == 0 ? 0 : half / (middle / distance), term = 2 * (k * v);
  for (T divisor = 3;; divisor += 2) {
    term *= v * v;
    const T next = found + term / divisor;
    if (next == found) return found;
    found = next;
  }
}

/// Hoermann, "The transformed rejection method for generating Poisson random variables", 1993: algorithm PTRS.
template <std::same_as<double> T>
KROTON_HD_CALLED T poisson_by_rejection(further_numbers<T>& next, T rate) noexcept {
  const T b = std::fma(2.53, std::sqrt(rate), 0.931), a = std::fma(0.02483, b, -0.059);
  const T scale = 1.1239 + 1.1328 / (b - 3.4), surely_below = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const T u = next.uniform() - 0.5, v = next.uniform(), end = 0.5 - std::fabs(u);
    const T k = std::floor(std::fma(2 * a / end + b, u, rate) + 0.43);
    if (end >= 0.07 && v <= surely_below) return k;
    if (k < 0 || (end < 0.013 && v > end)) continue;
    if (log_of_any(v * scale / (a / (end * end) + b)) <= -(deviance(k, rate) + factorial_rest(k))) return k;
  }
}
/// The number of events of a Poisson process of this rate: NaN of a negative rate or NaN.
template <std::same_as<double> T>
KROTON_HD_CALLED T poisson(further_numbers<T> next, T rate) noexcept {
  if (!(rate >= 0)) return std::numeric_limits<T>::quiet_NaN();
  if (rate == std::numeric_limits<T>::infinity()) return rate;
  if (rate >= least_rejected_mean) return poisson_by_rejection(next, rate);
  T k = 0, share = exp_of(-rate), left = next.uniform();
  while (left >= share && share > 0x1p-60) {  // what is smaller is the rounding of the sum
    left -= share;
    share = rate * share / ++k;
  }
  return k;
}

/// The same for binomial numbers, of a probability of at most 1/2: Hoermann, "The generation of binomial random
/// variates", 1993, algorithm BTRS.
template <std::same_as<double> T>
KROTON_HD_CALLED T binomial_by_rejection(further_numbers<T>& next, T count, T p) noexcept {
  const T mean = rounded_product(count, p), other_mean = rounded_product(count, 1 - p);
  const T deviation = std::sqrt(mean * (1 - p)), b = std::fma(2.53, deviation, 1.15);
  const T a = std::fma(0.0248, b, std::fma(0.01, p, -0.0873)), scale = (2.83 + 5.1 / b) * deviation;
  const T surely_below = 0.92 - 4.2 / b, mode = std::floor((count + 1) * p);
  const auto minus_log = [&](T k) {  // of the probability of k, but for a constant
    return deviance(k, mean) + deviance(count - k, other_mean) + (factorial_rest(k) + factorial_rest(count - k));
  };
  for (;;) {
    const T u = next.uniform() - 0.5, v = next.uniform(), end = 0.5 - std::fabs(u);
    const T k = std::floor(std::fma(2 * a / end + b, u, mean + 0.5));
    if (end >= 0.07 && v <= surely_below) return k;
    if (k < 0 || k > count) continue;
    if (log_of_any(v * scale / (a / (end * end) + b)) <= minus_log(mode) - minus_log(k)) return k;
  }
}
/// log(1 - p) for p <= 1/2.
template <std::same_as<double> T>
KROTON_HD T log_of_rest(T p) noexcept {
  return p <= 0.25 ? log_of(log_parts<T>{-p, 0}) : log_of_any(1 - p);
}
/// How many of `count` trials succeed, each with probability p. A count is rounded down. NaN of a count that is
/// negative, infinite or NaN, and of p outside [0, 1]. Takes the next numbers of `next`.
template <std::same_as<double> T>
KROTON_HD_CALLED T binomial_next(further_numbers<T>& next, T given_count, T p) noexcept {
  const T count = std::floor(given_count);
  if (!(count >= 0 && count < std::numeric_limits<T>::infinity() && p >= 0 && p <= 1))
    return std::numeric_limits<T>::quiet_NaN();
  const bool is_mirrored = p > 0.5;
  const T small = is_mirrored ? 1 - p : p;
  T k = 0;
  if (count * small >= least_rejected_mean) {
    k = binomial_by_rejection(next, count, small);
  } else if (count > 0 && small > 0) {
    T share = exp_of(count * log_of_rest(small)), left = next.uniform();
    while (left >= share && share > 0x1p-60 && k < count) {
      left -= share;
      share = share * (count - k) * (small / (1 - small)) / (k + 1);
      ++k;
    }
  }
  return is_mirrored ? count - k : k;
}
template <std::same_as<double> T>
KROTON_HD T binomial(further_numbers<T> next, T count, T p) noexcept {
  return binomial_next(next, count, p);
}

}  // namespace kroton::simd
