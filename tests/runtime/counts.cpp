// Random counts: Poisson and binomial numbers against their exact probabilities.
#include <kroton/kroton.hpp>

#include "../sanitized.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kt = kroton;

namespace {

constexpr std::int64_t count = test::is_sanitized ? 20'000 : 400'000;

/// Compares whole numbers with their probabilities: neighbours are counted together, so that 100 or more of each are
/// expected; then chi-squared is within 4.5 standard deviations of its mean, which fewer than one in 10,000 seeds
/// exceed.
template <class Probability>
void check_counts(const kt::tensor<double, 1>& found, double mean, double deviation, Probability probability) {
  const double low = std::max(0.0, std::floor(mean - 9 * deviation - 9)), high = std::ceil(mean + 9 * deviation + 40);
  std::vector<double> counts(static_cast<std::size_t>(high - low) + 1);
  bool are_whole = true;
  for (const double k : found) {
    are_whole = are_whole && k >= low && k <= high && k == std::floor(k);
    if (are_whole) counts[static_cast<std::size_t>(k - low)] += 1;
  }
  REQUIRE(are_whole);
  const double least = std::max(100.0, static_cast<double>(count) / 1000);
  double chi_squared = 0, expected = 0, seen = 0, left = static_cast<double>(count);
  int bins = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    expected += static_cast<double>(probability(low + static_cast<double>(i))) * static_cast<double>(count);
    seen += counts[i];
    if (expected < least || left - expected < least) continue;
    chi_squared += (seen - expected) * (seen - expected) / expected;
    left -= expected, expected = seen = 0, ++bins;
  }
  if (left > 1) chi_squared += (seen - left) * (seen - left) / left, ++bins;
  const double freedom = bins - 1;
  CAPTURE(bins);
  CAPTURE(chi_squared);
  CHECK(std::abs(chi_squared - freedom) <= 4.5 * std::sqrt(2 * freedom));
}
long double log_choices(long double of, long double k) {
  return std::lgamma(of + 1) - std::lgamma(k + 1) - std::lgamma(of - k + 1);
}
/// The first two moments of numbers whose distribution is nearly normal, and their distance from it.
void check_normal(const kt::tensor<double, 1>& found, double mean, double deviation) {
  std::vector<double> z;
  for (const double k : found) z.push_back((k - mean) / deviation);
  std::sort(z.begin(), z.end());
  double largest = 0, i = 0, sum = 0, squares = 0;
  const double size = static_cast<double>(count);
  for (const double v : z) {
    largest = std::max(largest, std::abs(0.5 * std::erfc(v * -std::sqrt(0.5)) - ++i / size));
    sum += v, squares += v * v;
  }
  CHECK(largest * std::sqrt(size) < 1.95);  // exceeded once in a thousand seeds
  CHECK(std::abs(sum / std::sqrt(size)) < 4);
  CHECK(std::abs(squares / size - 1) * std::sqrt(size / 2) < 4);
}

TEST_CASE("poisson: probabilities, on both sides of where rejection begins") {
  auto f = kt::function([](kt::var<double> rate) { return kt::random::poisson<double, count>(rate); },
                        kt::context::host(), kt::seed{5});
  for (const double rate : {0.01, 0.7, 3.5, 9.99, 10.0, 10.5, 31.0, 300.0, 1e5}) {
    CAPTURE(rate);
    check_counts(f(rate), rate, std::sqrt(rate), [&](long double k) {
      return std::exp(k * std::log(static_cast<long double>(rate)) - rate - std::lgamma(k + 1));
    });
  }
  for (const double rate : {1e10, 1e15, 1e18, 1e25}) {
    CAPTURE(rate);
    check_normal(f(rate), rate, std::sqrt(rate));
  }
}

TEST_CASE("binomial: probabilities, on both sides of where rejection begins, and of probabilities above a half") {
  auto f = kt::function(
      [](kt::var<double> trials, kt::var<double> p) { return kt::random::binomial<double, count>(trials, p); },
      kt::context::host(), kt::seed{6});
  for (const auto& [of_count, of_p] : {std::pair{1.0, 0.3},
                                       {10.0, 0.3},
                                       {7.0, 0.95},
                                       {19.0, 0.5},
                                       {20.0, 0.5},
                                       {20.0, 0.51},
                                       {30.0, 0.33},
                                       {34.0, 0.3},
                                       {40.0, 0.75},
                                       {500.0, 0.4},
                                       {1e4, 9e-4},
                                       {1e4, 11e-4},
                                       {1e5, 0.8},
                                       {1e9, 2e-8}}) {
    const double trials = of_count, p = of_p;
    CAPTURE(trials);
    CAPTURE(p);
    const long double log_p = std::log(static_cast<long double>(p)),
                      log_rest = std::log1p(-static_cast<long double>(p));
    check_counts(f(trials, p), trials * p, std::sqrt(trials * p * (1 - p)), [&](long double k) {
      return k > trials ? 0 : std::exp(log_choices(trials, k) + k * log_p + (trials - k) * log_rest);
    });
  }
  for (const auto& [of_count, of_p] : {std::pair{1e12, 0.25}, {1e15, 0.5}, {1e15, 0.875}, {1e18, 1e-6}}) {
    const double trials = of_count, p = of_p;
    CAPTURE(trials);
    check_normal(f(trials, p), trials * p, std::sqrt(trials * p * (1 - p)));
  }
}

}  // namespace
