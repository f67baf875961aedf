// The distribution function of gamma numbers, in long double and by other means than Kroton's, for tests of what is
// drawn.
#pragma once

#include <cmath>

namespace test {

/// The shares of gamma numbers of shape `a` below and above x.
struct gamma_shares {
  long double below, above;
};
inline gamma_shares gamma_shares_of(long double a, long double x) {
  if (!(x > 0)) return {0, 1};
  const long double density = std::exp(a * std::log(x) - x - std::lgamma(a));  // times x
  if (x < a + 1) {
    long double term = 1 / a, sum = term;
    for (long double k = 1; term > 1e-21L * sum; ++k) term *= x / (a + k), sum += term;
    return {density * sum, 1 - density * sum};
  }
  long double b = x + 1 - a, c = 1e300L, d = 1 / b, fraction = d;
  for (long double k = 1, step = 0; std::abs(step - 1) > 1e-19L && k < 100'000; ++k) {
    b += 2;
    d = 1 / (k * (a - k) * d + b);
    c = b + k * (a - k) / c;
    step = c * d;
    fraction *= step;
  }
  return {1 - density * fraction, density * fraction};
}

/// The logarithm of the number with these shares below and above it.
inline long double log_gamma_quantile(long double a, const gamma_shares& at) {
  long double low = -20'000, high = std::log(a + 1) + 6;
  while (high - low > 1e-19L * (1 + std::abs(low))) {
    const long double middle = (low + high) / 2;
    if (middle == low || middle == high) break;
    const gamma_shares found = gamma_shares_of(a, std::exp(middle));
    (at.below < at.above ? found.below < at.below : found.above > at.above) ? low = middle : high = middle;
  }
  return low;
}

}  // namespace test
