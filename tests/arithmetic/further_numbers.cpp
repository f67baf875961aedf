// What numbers are drawn by that elements may reject: the exponential, parts of logarithms of probabilities, and the
// further numbers of an element.
#include <kroton/arithmetic/counts.hpp>
#include <kroton/arithmetic/gamma_slope.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace kt = kroton;
namespace simd = kt::simd;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), ulp = std::numeric_limits<double>::epsilon();

double error(double found, long double expected) {
  return static_cast<double>(std::abs(found - expected) / std::max(std::abs(expected), 1e-300L));
}

TEST_CASE("exp_of: within 1.5 units in the last place, to the denormal numbers") {
  double largest = 0;
  for (double x = -708; x < 709.7; x += 0.01171875 * 1.0009)
    largest = std::max(largest, error(simd::exp_of(x), std::exp(static_cast<long double>(x))));
  for (double x = 1e-20; x < 1; x *= 1.01)
    for (const double y : {x, -x})
      largest = std::max(largest, error(simd::exp_of(y), std::exp(static_cast<long double>(y))));
  CHECK(largest < 1.5 * ulp);
  CHECK(simd::exp_of(0.0) == 1);
  CHECK(simd::exp_of(-745.1) == std::exp(-745.1));
  CHECK(simd::exp_of(-730.0) == doctest::Approx(std::exp(-730.0)).epsilon(1e-6));
  CHECK(simd::exp_of(-746.0) == 0);
  CHECK(simd::exp_of(-infinity) == 0);
  CHECK(simd::exp_of(709.78) == doctest::Approx(std::exp(709.78)).epsilon(1e-15));
  CHECK(simd::exp_of(710.0) == infinity);
  CHECK(simd::exp_of(infinity) == infinity);
  CHECK(std::isnan(simd::exp_of(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("deviance and factorial_rest: parts of logarithms of probabilities, without cancellation") {
  double largest = 0;
  for (const double mean : {0.25, 3.0, 10.0, 144.5, 1e6, 1e12})
    for (const double by : {-1.0, -0.9, -0.3, -0.15, -1e-3, 0.0, 1e-4, 0.1, 0.22, 0.25, 3.0}) {
      const double k = std::floor(mean + by * mean);
      const long double m = mean, distance = static_cast<long double>(k) - m, v = distance / m;
      // by the Taylor series where the formula cancels in long double, too
      const long double expected = k == 0 ? m
                                   : std::abs(v) < 1e-2L
                                       ? m * v * v *
                                             (0.5L - v / 6 + v * v / 12 - v * v * v / 20 + v * v * v * v / 30 -
                                              v * v * v * v * v / 42 + v * v * v * v * v * v / 56)
                                       : k * std::log(k / m) - distance;
      largest = std::max(largest, error(simd::deviance(k, mean), expected));
    }
  CHECK(largest < 1e-13);
  largest = 0;
  for (double k = 1; k < 3000; k = std::ceil(k * 1.07)) {
    const long double x = k;
    largest = std::max(
        largest, std::abs(static_cast<double>(simd::factorial_rest(k) - (std::lgamma(x + 1) - x * std::log(x) + x))));
  }
  CHECK(largest < 1e-14);
  CHECK(simd::factorial_rest(0.0) == 0);
  CHECK(simd::factorial_rest(1e300) == doctest::Approx(0.5 * std::log(2 * std::numbers::pi) + 150 * std::log(10.0)));
}

TEST_CASE("digamma: known answers") {
  CHECK(simd::digamma(1.0) == doctest::Approx(-0.57721566490153286).epsilon(1e-14));
  CHECK(simd::digamma(0.5) == doctest::Approx(-1.9635100260214235).epsilon(1e-14));
  CHECK(simd::digamma(1e-3) == doctest::Approx(-1000.5755719318103).epsilon(1e-14));
  CHECK(simd::digamma(25.0) == doctest::Approx(3.198742512851974).epsilon(1e-14));
  CHECK(simd::digamma(1e9) == doctest::Approx(20.723265836446311).epsilon(1e-14));
}

TEST_CASE("further_numbers: inside (0, 1), others for each bit, and those of SplitMix64") {
  std::set<double> seen;
  for (int bit = 0; bit < 64; ++bit) {
    simd::further_numbers<double> next(std::uint64_t{1} << bit);
    for (int i = 0; i < 20; ++i) {
      const double u = next.uniform();
      CHECK(u > 0);
      CHECK(u < 1);
      seen.insert(u);
    }
  }
  CHECK(seen.size() == 64 * 20);
  simd::further_numbers<double> zero(0);  // the first numbers of SplitMix64 are known
  CHECK(zero.uniform() == doctest::Approx(0x0.E220A8397B1DCDAFp0).epsilon(1e-15));
  CHECK(zero.uniform() == doctest::Approx(0x0.6E789E6AA1B965F4p0).epsilon(1e-15));
}

}  // namespace
