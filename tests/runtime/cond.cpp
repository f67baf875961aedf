// Branches of which one runs, with values, gradients, errors and loops in them.
// alone: loops in loops and their gradients take long to compile
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>
#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
using numbers = std::vector<double>;

template <class Tensor>
numbers values_of(const Tensor& t) {
  return numbers(t.begin(), t.end());
}

TEST_CASE("cond: values and gradients of the branch that is taken") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double, n> y, kt::var<double> a) {
    const auto taken = kt::cond(
        kt::sum(x) > a, [&] { return kt::exp(x) * a + kt::sum(y); }, [&] { return x * y; });
    const auto cost = kt::sum(taken * taken);
    return kt::outputs(taken, kt::grad(cost, x), kt::grad(cost, y), kt::grad(cost, a), kt::jvp(cost, x, y));
  });
  const numbers x{1, 2, -0.5}, y{0.5, -1, 2};
  for (double a : {0.5, 5.0}) {
    const auto [taken, of_x, of_y, of_a, forward] = f(x, y, a);
    double in_direction = 0, sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double value = a < 2.5 ? std::exp(x[i]) * a + 1.5 : x[i] * y[i];
      CHECK(taken.data()[i] == doctest::Approx(value));
      const double slope = 2 * value * (a < 2.5 ? std::exp(x[i]) * a : y[i]);
      CHECK(of_x.data()[i] == doctest::Approx(slope));
      in_direction += slope * y[i];
      sum += 2 * value * std::exp(x[i]);
    }
    CHECK(static_cast<double>(of_a) == doctest::Approx(a < 2.5 ? sum : 0));
    CHECK(static_cast<double>(forward) == doctest::Approx(in_direction));
    CHECK(kt::debug::verify(f, x, y, a));
  }
}

TEST_CASE("cond: the other branch does not run") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<std::int64_t> i, kt::var<bool> c) {
    const auto [first, second] = kt::cond(
        c,
        [&] {
          return std::tuple{kt::take(x, i * 2), kt::sum(x)};
        },
        [&] {
          return std::tuple{kt::sum(kt::take(x, kt::arange<std::int64_t, 2>() + i)), kt::sum(x) * 2.0};
        });
    return kt::outputs(first, second, kt::grad(first, x));
  });
  const numbers x{1, 2, 4};
  CHECK(static_cast<double>(std::get<0>(f(x, 1, true))) == 4);
  CHECK(static_cast<double>(std::get<0>(f(x, 1, false))) == 6);
  CHECK(values_of(std::get<2>(f(x, 1, false))) == numbers{0, 1, 1});
  CHECK(static_cast<double>(std::get<1>(f(x, 0, false))) == 14);
  CHECK(static_cast<double>(std::get<0>(f(x, 1, true))) == 4);
  CHECK_THROWS_AS(f(x, 2, true), kt::index_error);   // 4 of 3
  CHECK_THROWS_AS(f(x, 2, false), kt::index_error);  // 2 and 3 of 3
  auto other = kt::function([](kt::var<double, n> z, kt::var<std::int64_t> i) {
    return kt::cond(
        i < 3, [&] { return kt::take(z, i); }, [&] { return kt::sum(z); });
  });
  CHECK(static_cast<double>(other(x, 2)) == 4);
  CHECK(static_cast<double>(other(x, 7)) == 7);
}

TEST_CASE("cond: loops in branches, branches in loops and in branches") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double> a) {
    const auto steps = kt::cond(
        a > 0.0,
        [&] {
          return kt::reduce([&](auto row, auto h) { return kt::tanh(row * h) + a; }, kt::sequences(x), kt::carried(a));
        },
        [&] {
          return kt::cond(
              a < -1.0, [&] { return kt::sum(x) * a; }, [&] { return a * a; });
        });
    const auto walk = kt::scan(
        [&](auto row, auto h) {
          return kt::cond(
              h > 1.0, [&] { return h * 0.5; }, [&] { return h + row * a; });
        },
        kt::sequences(x), kt::carried(0.25));
    const auto cost = steps + kt::sum(walk.all * walk.all);
    return kt::outputs(steps, walk.all, kt::grad(cost, x), kt::grad(cost, a));
  });
  const numbers x{1, 2, -0.5, 1.5};
  for (double a : {0.6, -0.5, -2.0}) {
    const auto [steps, walk, of_x, of_a] = f(x, a);
    double h = a;
    for (double row : x) h = std::tanh(row * h) + a;
    CHECK(static_cast<double>(steps) == doctest::Approx(a > 0 ? h : a < -1 ? 4 * a : a * a));
    double w = 0.25;
    for (std::size_t i = 0; i < x.size(); ++i) {
      w = w > 1 ? w * 0.5 : w + x[i] * a;
      CHECK(walk.data()[i] == doctest::Approx(w));
    }
    CHECK(kt::debug::verify(f, x, a));
  }
}

TEST_CASE("cond: of extents alone, and of tensors that are made") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<std::int64_t> i) {
    const auto few = kt::cond(
        kt::extent(n) < 3, [&] { return kt::sum(x); }, [&] { return kt::mean(x); });
    const auto made = kt::cond(
        few > 2.0, [] { return kt::zeros<double, 2>(); }, [] { return kt::ones<double, 2>(); });
    return kt::outputs(few, made, kt::set(kt::zeros<double, 4>(), kt::at(i), few));
  });
  const auto [few, made, set] = f(numbers{1, 3}, 2);
  CHECK(static_cast<double>(few) == 4);
  CHECK(values_of(made) == numbers{0, 0});
  CHECK(values_of(set) == numbers{0, 0, 4, 0});
  CHECK(static_cast<double>(std::get<0>(f(numbers{1, 2, 3, 0}, 0))) == 1.5);
}

TEST_CASE("cond: lifted over slices of which some take one branch and some the other") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double> a) {
    const auto of = [&](auto scalar) {
      return kt::cond(
          scalar > a, [&] { return kt::sqr(scalar); }, [&] { return scalar * a; });
    };
    return kt::outputs(kt::vmap<n>(of)(x), kt::vmap<n>([&](auto scalar) { return kt::grad(of(scalar), scalar); })(x));
  });
  const auto [value, slope] = f(numbers{1, 3, -2}, 2.0);
  CHECK(values_of(value) == numbers{2, 9, -4});
  CHECK(values_of(slope) == numbers{2, 6, 2});
}

}  // namespace
