// alone: its kernels are as many as one file should have.
#include "rewrites.hpp"

using namespace test;

// Gradients of the tails of erfc and of its logarithm.
TEST_CASE("gradients of tails: the gradient does not make a stable form of a stable form") {
  const auto tail = [](kt::var<double, n> x) { return kt::grad(kt::sum(kt::log(kt::erfc(x))), x); };
  CHECK(live_after(tail, "less") == 1);
}

TEST_CASE("gradients of tails: compiled gradients") {
  const auto check = [](auto zero, double tolerance) {
    using T = decltype(zero);
    auto f = kt::function([](kt::var<T, n> x, kt::var<T, n> y) {
      const auto ratio = kt::sum(y * kt::exp(-kt::sqr(x)) / kt::erfc(x));
      return kt::outputs(kt::grad(ratio, x), kt::grad(ratio, y), kt::grad(kt::sum(kt::log(kt::erfc(x))), x));
    });
    const numbers x = {27, 40, 1e4, 1e15};
    const auto [dx, dy, dlog] = f(std::vector<T>(x.begin(), x.end()), std::vector<T>(x.size(), 2));
    for (std::size_t i = 0; i < x.size(); ++i) {
      CAPTURE(x[i]);
      const auto at = static_cast<std::int64_t>(i);
      const real ratio = gaussian_over_erfc(x[i]), square = static_cast<real>(x[i]) * x[i];
      CHECK(near(static_cast<double>(dy(at)), static_cast<double>(ratio), tolerance, 0));
      const real slope = 2 * root_of_pi * (1 - 0.5L / square + 1.5L / (square * square));
      CHECK(near(static_cast<double>(dx(at)), static_cast<double>(slope), std::max(tolerance, 1e-7), 0));
      CHECK(near(static_cast<double>(dlog(at)), static_cast<double>(-2 / root_of_pi * ratio), tolerance, 0));
    }
  };
  check(0.0, 1e-12);
  check(0.0F, 1e-6);
}
