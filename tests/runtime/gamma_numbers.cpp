// Gamma numbers against their exact distribution.
#include <kroton/kroton.hpp>

#include "../incomplete_gamma.hpp"
#include "../sanitized.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kt = kroton;

namespace {

constexpr std::int64_t count = test::is_sanitized ? 20'000 : 400'000;

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

}  // namespace
