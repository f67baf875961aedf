// Gamma numbers and counts of several outcomes against their exact distributions.
#include <kroton/kroton.hpp>

#include "../incomplete_gamma.hpp"
#include "../sanitized.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kt = kroton;

namespace {

constexpr std::int64_t count = test::is_sanitized ? 20'000 : 400'000, rows = count / 2;
constexpr int outcomes = 5, trials = 40;

TEST_CASE("gamma: the distribution, on both sides of the shape 1") {
  auto f = kt::function([](kt::var<double> shape) { return kt::random::gamma<double, count>(shape); },
                        kt::context::host(), kt::seed{7});
  constexpr int parts = 256;
  for (const double shape : {0.003, 0.1, 0.7, 0.999, 1.0, 1.3, 4.0, 60.0, 1e3, 1e6, 1e12}) {
    CAPTURE(shape);
    const kt::tensor<double, 1> found = f(shape);
    const auto share = [&](double x) {
      if (shape > 1e7)  // a normal distribution, but for a skewness of 1e-6
        return 0.5 * std::erfc(-(x - shape) / std::sqrt(2 * shape));
      return static_cast<double>(test::gamma_shares_of(shape, x).below);
    };
    std::vector<double> x(found.begin(), found.end());
    std::sort(x.begin(), x.end());
    double largest = 0;  // of Kolmogorov and Smirnov, at some of the numbers
    for (std::size_t i = 0; i < x.size(); i += x.size() / parts)
      if (x[i] > 0) largest = std::max(largest, std::abs(share(x[i]) - static_cast<double>(i) / count));
    CHECK(largest * std::sqrt(static_cast<double>(count)) < 1.95);  // exceeded once in a thousand seeds
    double sum = 0, squares = 0;
    for (const double v : x) sum += v - shape, squares += (v - shape) * (v - shape);
    const double root = std::sqrt(static_cast<double>(count)), kurtosis = 3 + 6 / shape;
    CHECK(std::abs(sum / root) < 4 * std::sqrt(shape));
    CHECK(std::abs(squares / count / shape - 1) * root < 4 * std::sqrt(kurtosis - 1));
  }
}

TEST_CASE("gamma: slopes with respect to the shape, whose mean is that of the mean, 1") {
  auto f = kt::function(
      [](kt::var<double> shape) { return kt::grad(kt::mean(kt::random::gamma<double, count / 4>(shape)), shape); },
      kt::context::host(), kt::seed{9});
  constexpr double accepted = test::is_sanitized ? 0.1 : 0.02;
  for (const double shape : {0.1, 1.0, 4.0, 90.0, 300.0})
    CHECK(static_cast<double>(f(shape)) == doctest::Approx(1).epsilon(accepted));
}

TEST_CASE("multinomial: probabilities, means and covariances") {
  auto f = kt::function(
      [](kt::var<double, outcomes> weights) {
        return kt::outputs(kt::random::multinomial<int>(trials, kt::broadcast_to<rows, outcomes>(weights)),
                           kt::random::multinomial<int>(3, kt::broadcast_to<rows, 3>(weights[kt::rows(1, 4)])));
      },
      kt::context::host(), kt::seed{8});
  const kt::tensor<double, 1> weights({outcomes}, {0.5, 3, 1, 4, 1.5});
  const auto [many, few] = f(weights);
  double sums[outcomes] = {}, products[outcomes][outcomes] = {};
  const double size = static_cast<double>(rows);
  for (std::int64_t row = 0; row < rows; ++row)
    for (int i = 0; i < outcomes; ++i) {
      sums[i] += many(row, i);
      for (int j = 0; j < outcomes; ++j) products[i][j] += static_cast<double>(many(row, i)) * many(row, j);
    }
  for (int i = 0; i < outcomes; ++i)
    for (int j = 0; j < outcomes; ++j) {
      const double p = weights(i) / 10, q = weights(j) / 10;
      const double expected = trials * (i == j ? p * (1 - p) : -p * q), variance = trials * p * (1 - p);
      CHECK(std::abs(sums[i] / size - trials * p) * std::sqrt(size / variance) < 4);
      const double covariance = products[i][j] / size - sums[i] / size * sums[j] / size;
      CHECK(std::abs(covariance - expected) * std::sqrt(size / (2 * variance * trials * q * (1 - q))) < 4.5);
    }

  double counts[4][4] = {}, chi_squared = 0;
  for (std::int64_t row = 0; row < rows; ++row) counts[few(row, 0)][few(row, 1)] += 1;
  for (int i = 0; i <= 3; ++i)
    for (int j = 0; i + j <= 3; ++j) {
      const auto factorial = [](int k) { return std::tgamma(k + 1.0); };
      const double expected = size * 6 / (factorial(i) * factorial(j) * factorial(3 - i - j)) * std::pow(3.0 / 8, i) *
                              std::pow(1.0 / 8, j) * std::pow(4.0 / 8, 3 - i - j);
      chi_squared += (counts[i][j] - expected) * (counts[i][j] - expected) / expected;
    }
  CHECK(std::abs(chi_squared - 9) < 4.5 * std::sqrt(18.0));
}

}  // namespace
