#include "../../support.hpp"

#include "../../incomplete_gamma.hpp"

#include <kroton/graph/ops.hpp>

TEST_CASE("gamma_slope: the slope of quantiles as functions of the shape, measured in long double") {
  for (const double shape : {1e-3, 0.02, 0.3, 0.999, 1.0, 1.7, 5.0, 20.0, 99.9, 100.0, 101.0, 1e3, 1e4, 1e6})
    for (const long double below : {1e-12L, 1e-4L, 0.03L, 0.3L, 0.5L, 0.8L, 0.99L, 1 - 1e-6L, 1 - 1e-12L}) {
      const double x = static_cast<double>(std::exp(test::log_gamma_quantile(shape, {below, 1 - below})));
      if (x < 1e-300) continue;
      const test::gamma_shares at = test::gamma_shares_of(shape, x);
      const long double h = 2e-3L * shape;
      const auto moved = [&](int steps) { return test::log_gamma_quantile(shape + steps * h, at); };
      const long double expected = x * (8 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12 * h);
      const double error = static_cast<double>(std::abs(kt::ops::gamma_slope::apply(shape, x) / expected - 1));
      CAPTURE(shape);
      CAPTURE(x);
      CHECK(error < 1e-8);
    }
}

TEST_CASE("gamma_slope: known answers, computed with 40 digits") {
  constexpr double known[][3] = {{1e-05, 0.0001, 86.341045104443458},    {1e-05, 2.0, 72267.063021593981},
                                 {0.5, 1e-250, 1.1513655264449801e-247}, {250, 100, 0.61125673955204915},
                                 {250, 600, 1.5017797382936566},         {1e5, 99000, 0.99498490779812499},
                                 {1e5, 101000, 1.004985091138492}};
  for (const auto& [shape, x, expected] : known)
    CHECK(kt::ops::gamma_slope::apply(shape, x) == doctest::Approx(expected).epsilon(1e-11));
}

TEST_CASE("gamma_slope: extremes") {
  const auto slope = [](double shape, double x) { return kt::ops::gamma_slope::apply(shape, x); };
  CHECK(slope(0, 0) == 0);
  CHECK(slope(2, 0) == 0);
  CHECK(slope(test::inf, test::inf) == 1);
  CHECK(slope(1e300, 1e300) == doctest::Approx(1));
  for (const double wrong : {-1.0, test::quiet_nan}) {
    CHECK(std::isnan(slope(wrong, 1)));
    CHECK(std::isnan(slope(1, wrong)));
  }
  CHECK(slope(test::tiny, 1e-5) > 0);
}
