// Truncated normal numbers of parameters that are expressions: their bounds, element types and gradients.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace kt = kroton;

namespace {

constexpr struct n : kt::dim<n> {} n;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_CASE("truncated normal numbers: parameters, element types, and the interpreter") {
  auto f = kt::function([](kt::var<float, n> x, kt::var<double, n> m, kt::var<double> d) {
    const auto y = kt::random::truncated_normal(m, d, m - 0.5, 4);
    return kt::outputs(
        kt::random::truncated_normal(x, 0.25), kt::random::truncated_normal(x, 2, x - 1, x + 0.5f), y,
        kt::grad(kt::sum(y * y), m), kt::grad(kt::sum(y * y), d), kt::random::truncated_normal<kt::half, n>(),
        kt::random::truncated_normal<kt::bfloat16, n, 2>(3, 1), kt::random::truncated_normal<kt::half, n>(0, 2, -1, 5),
        kt::random::truncated_normal(d, 1, 50, 60));
  });
  kt::tensor<float, 1> x({300});
  kt::tensor<double, 1> m({300});
  for (std::int64_t i = 0; i < 300; ++i) m(i) = static_cast<double>(i - 150) / 50, x(i) = static_cast<float>(m(i));
  const kt::debug::comparison found = kt::debug::verify(f, x, m, 1.5);
  CAPTURE(found.where);
  CHECK(found.ok);
  const auto numbers = f(x, m, 1.5);
  bool inside = true;
  for (std::int64_t i = 0; i < 300; ++i) {
    const float near = std::get<0>(numbers)(i), both = std::get<1>(numbers)(i);
    inside = inside && std::abs(near - x(i)) <= 0.5f + 1e-6f && both >= x(i) - 1 && both <= x(i) + 0.5f;
    inside = inside && std::get<2>(numbers)(i) >= m(i) - 0.5 && std::get<2>(numbers)(i) <= 4;
  }
  CHECK(inside);
  CHECK(static_cast<double>(std::get<8>(numbers)) == 50);
  const auto of_none = f(kt::tensor<float, 1>({0}), kt::tensor<double, 1>({0}), 1.5);
  CHECK(std::get<2>(of_none).size() == 0);
}

TEST_CASE("truncated normal numbers: gradients are differences of the same numbers") {
  auto f =
      kt::function([](kt::var<double, n> m, kt::var<double, n> d, kt::var<double, n> low, kt::var<double, n> high) {
        const auto y = kt::random::truncated_normal(m, d, low, high),
                   half_open = kt::random::truncated_normal(m, d, low, infinity);
        const auto sum = kt::sum(y + half_open);
        return kt::outputs(y + half_open, kt::grad(sum, m), kt::grad(sum, d), kt::grad(sum, low), kt::grad(sum, high));
      });
  using numbers = kt::tensor<double, 1>;
  constexpr std::int64_t size = 64;
  numbers x[4] = {numbers({size}), numbers({size}), numbers({size}), numbers({size})};
  for (std::int64_t i = 0; i < size; ++i) {
    const double at = static_cast<double>(i) / size;
    x[0](i) = 2 * at - 1, x[1](i) = 0.5 + at, x[2](i) = 4 * at - 2, x[3](i) = x[2](i) + 0.25 + 2 * at * at;
  }
  const auto call = [&] {
    f.reseed(kt::seed{5});
    return f(x[0], x[1], x[2], x[3]);
  };
  const auto [y, of_mean, of_deviation, of_low, of_high] = call();
  const numbers* const slopes[] = {&of_mean, &of_deviation, &of_low, &of_high};
  constexpr double step = 1e-6;
  for (int k = 0; k < 4; ++k) {
    CAPTURE(k);
    const auto moved = [&](double by) {
      for (double& v : x[k]) v += by;
      const numbers found = std::get<0>(call());
      for (double& v : x[k]) v -= by;
      return found;
    };
    const numbers right = moved(step), left = moved(-step);
    for (std::int64_t i = 0; i < size; ++i) {
      CAPTURE(i);
      CHECK((*slopes[k])(i) == doctest::Approx((right(i) - left(i)) / (2 * step)).epsilon(1e-5).scale(1));
    }
  }
}

}  // namespace
