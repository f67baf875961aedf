// Jacobians and Hessians, and products with them, against formulas and differences.
#include "support.hpp"

#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <cmath>
#include <vector>

using namespace test;

namespace {

kt::tensor<double, 2> some_matrix(std::int64_t rows, std::int64_t columns, unsigned seed = 1) {
  kt::tensor<double, 2> made({rows, columns});
  const numbers x = some(static_cast<std::size_t>(rows * columns), seed);
  std::copy(x.begin(), x.end(), made.begin());
  return made;
}
numbers moved(const numbers& x, const numbers& v, double by) {
  numbers made = x;
  for (std::size_t i = 0; i < x.size(); ++i) made[i] += by * v[i];
  return made;
}
TEST_CASE("derivatives: Jacobians by both modes") {
  auto f = kt::function([](kt::var<double, 3, 2> W, kt::var<double, 2> x, kt::var<double, n> z) {
    const auto y = kt::tanh(kt::dot(W, x));                          // (3)
    const auto few = kt::sqr(kt::sum(kt::exp(W) * x, kt::axis<0>));  // (2)
    return kt::outputs(kt::jacobian(y, x), kt::jacobian(few, W), kt::jacobian(kt::cumsum(z) * z, z),
                       kt::jacobian(kt::max(z) * y, z), kt::jacobian(kt::sum(x), x));
  });
  const auto W = some_matrix(3, 2, 5);
  const numbers x = some(2, 7), z = some(4, 8);
  const auto [of_x, of_W, of_z, of_largest, of_sum] = f(W, x, z);
  std::size_t largest = 0;
  for (std::size_t i = 0; i < 4; ++i)
    if (z[i] > z[largest]) largest = i;
  for (int i = 0; i < 3; ++i) {
    double a = 0;
    for (int j = 0; j < 2; ++j) a += W(i, j) * x[static_cast<std::size_t>(j)];
    for (int j = 0; j < 2; ++j) CHECK(are_near(of_x(i, j), (1 - std::tanh(a) * std::tanh(a)) * W(i, j), 1e-12));
    for (std::size_t j = 0; j < 4; ++j)
      CHECK(are_near(of_largest(i, static_cast<std::int64_t>(j)), j == largest ? std::tanh(a) : 0, 1e-12));
  }
  for (int j = 0; j < 2; ++j) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += std::exp(W(i, j)) * x[static_cast<std::size_t>(j)];
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 2; ++k)
        CHECK(
            are_near(of_W(k, i, j), k == j ? 2 * sum * std::exp(W(i, j)) * x[static_cast<std::size_t>(j)] : 0, 1e-12));
  }
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    sum += z[i];
    for (std::size_t j = 0; j < 4; ++j)
      CHECK(are_near(of_z(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)),
                     (j <= i ? z[i] : 0) + (i == j ? sum : 0), 1e-12));
  }
  CHECK(of_sum(0) == 1);
  CHECK(kt::debug::verify(f, W, x, z));
  CHECK(kt::debug::verify(f, W, x, numbers{2}));
}

TEST_CASE("derivatives: Hessians and products with them, through loops too") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double, n> v) {
    const auto h = kt::reduce([&](auto row, auto before) { return kt::tanh(row * before) + before * before * 0.3; },
                              kt::sequences(x), kt::carried(kt::sum(x * x)));
    const auto cost = h + kt::prod(x + 2.0) + kt::logsumexp(x);
    return kt::outputs(kt::hessian(cost, x), kt::hvp(cost, x, v), kt::jacobian(kt::grad(cost, x), x));
  });
  auto gradient = kt::function([](kt::var<double, n> x) {
    const auto h = kt::reduce([&](auto row, auto before) { return kt::tanh(row * before) + before * before * 0.3; },
                              kt::sequences(x), kt::carried(kt::sum(x * x)));
    return kt::grad(h + kt::prod(x + 2.0) + kt::logsumexp(x), x);
  });
  const std::size_t count = 4;
  const numbers x = some(count, 12), v = some(count, 13);
  const auto [hessian, product, other] = f(x, v);
  numbers expected(count, 0.0);
  for (std::size_t j = 0; j < count; ++j) {
    numbers unit(count, 0.0);
    unit[j] = 1;
    const double h = 1e-5;
    const auto above = gradient(moved(x, unit, h)), below = gradient(moved(x, unit, -h));
    for (std::size_t i = 0; i < count; ++i) {
      const double difference = (above.data()[i] - below.data()[i]) / (2 * h);
      CHECK(are_near(hessian(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)), difference));
      CHECK(are_near(other(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)), difference));
      expected[i] += difference * v[j];
    }
  }
  for (std::size_t i = 0; i < count; ++i) CHECK(are_near(product.data()[i], expected[i]));
  CHECK(kt::debug::verify(f, x, v));
}

TEST_CASE("derivatives: directions that a loop goes through, of a loop outside") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double, 3, n> v) {
    const auto y = kt::scan([&](auto row, auto h) { return kt::tanh(h * row + kt::sum(x)); }, kt::sequences(x),
                            kt::carried(kt::sum(x)))
                       .all;
    const auto J = kt::jacobian(y, x);
    const auto each = kt::map([&](auto t) { return kt::jvp(y, x, t); }, kt::sequences(v));
    const auto walk = kt::scan([&](auto t, auto s) { return s + kt::sum(kt::jacobian(y * s, x)) + t[0]; },
                               kt::sequences(v), kt::carried(1.0));
    return kt::outputs(each - kt::dot(v, kt::transpose(J)), walk.last, kt::sum(J));
  });
  const numbers x{0.3, -0.2};
  const kt::tensor<double, 2> v({3, 2}, {1, 0, 0, 1, 0.5, -2});
  const auto [difference, last, sum] = f(x, v);
  for (double each : difference) CHECK(std::abs(each) < 1e-12);
  double expected = 1;
  for (int i = 0; i < 3; ++i) expected += expected * static_cast<double>(sum) + v(i, 0);
  CHECK(are_near(static_cast<double>(last), expected, 1e-12));
  CHECK(kt::debug::verify(f, x, v));
}

}  // namespace
