// Loops that end when a condition holds: values, gradients, and that the rest of the body does not run.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
using numbers = std::vector<double>;

TEST_CASE("until: the iteration in which the condition holds is the last one") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double> most) {
    const auto [sum, square, count] = kt::scan(
        [&](auto each, auto before) {
          const auto next = before + each;
          return std::tuple{next, each * each, kt::until(next > most)};
        },
        kt::sequences(x), kt::carried(0.0));
    return kt::outputs(sum.all, sum.last, square.all, count);
  });
  const kt::tensor<double, 1> x({5}, {1, 2, 3, 4, 5});
  const auto check = [&](double most, const numbers& sums, double last, const numbers& squares, std::int64_t count) {
    const auto [all, end, square, ran] = f(x, most);
    CHECK(numbers(all.begin(), all.end()) == sums);
    CHECK(static_cast<double>(end) == last);
    CHECK(numbers(square.begin(), square.end()) == squares);
    CHECK(static_cast<std::int64_t>(ran) == count);
    CHECK(kt::debug::verify(f, x, most));
  };
  check(5, {1, 3, 6, 6, 6}, 6, {1, 4, 9, 0, 0}, 3);
  check(0, {1, 1, 1, 1, 1}, 1, {1, 0, 0, 0, 0}, 1);
  check(100, {1, 3, 6, 10, 15}, 15, {1, 4, 9, 16, 25}, 5);
  const auto [all, end, square, ran] = f(kt::tensor<double, 1>({0}), 1.0);
  CHECK(all.size() == 0);
  CHECK(static_cast<double>(end) == 0);
  CHECK(static_cast<std::int64_t>(ran) == 0);
}

struct learner : kt::model {
  kt::shared<double> w{this, "w", kt::init::constant(3)};
  constexpr auto fit() const {
    const auto [costs, updates, count] = kt::scan(
        [&](auto) {
          const auto cost = kt::sqr(w - 2);
          return std::tuple{cost, kt::updates(kt::optim::sgd(cost, parameters(), 0.25)), kt::until(cost < 1e-12)};
        },
        kt::carried(0.0), kt::steps<1'000'000'000'000>());
    return kt::outputs(costs.last, count).updates(updates);
  }
};

TEST_CASE("until: without rows the host stops, so that 10^12 iterations are a bound and no time") {
  auto halve = kt::function([](kt::var<double, n> x) {
    const auto [h, count] = kt::scan(
        [](auto before) {
          return std::tuple{before / 2, kt::until(kt::max(before) < 4)};
        },
        kt::carried(x), kt::steps<1'000'000'000'000>());
    return kt::outputs(h.last, count, kt::jvp(h.last, x, x));
  });
  const auto [last, count, tangent] = halve(numbers{64, 8, -5});
  CHECK(numbers(last.begin(), last.end()) == numbers{1, 0.125, -0.078125});
  CHECK(static_cast<std::int64_t>(count) == 6);
  CHECK(numbers(tangent.begin(), tangent.end()) == numbers{1, 0.125, -0.078125});
  kt::session<learner> session{kt::context::host(), kt::seed{1}};
  const auto [cost, steps] = session.compile<&learner::fit>()();
  CHECK(static_cast<double>(cost) < 1e-12);
  CHECK(static_cast<std::int64_t>(steps) == 21);
  CHECK(static_cast<double>(session.get<&learner::w>()) == 2 + std::ldexp(1, -21));
  const auto [first, one, along] = halve(numbers{1});
  CHECK(first(0) == 0.5);
  CHECK(static_cast<std::int64_t>(one) == 1);
}

TEST_CASE("until: a root by Newton's method, with its gradient") {
  auto root = kt::function([](kt::var<double> a) {
    const auto [x, count] = kt::scan(
        [&](auto before) {
          const auto next = (before + a / before) / 2;
          return std::tuple{next, kt::until(kt::abs(next - before) < 1e-12)};
        },
        kt::carried(1.0), kt::steps<100>());
    return kt::outputs(x.last, count, kt::grad(x.last, a));
  });
  const auto [x, count, slope] = root(9.0);
  CHECK(static_cast<double>(x) == doctest::Approx(3));
  CHECK(static_cast<std::int64_t>(count) < 10);
  CHECK(static_cast<double>(slope) == doctest::Approx(1.0 / 6));
  CHECK(kt::debug::verify(root, 9.0));
}

TEST_CASE("until: what does not run does no harm") {
  // the rows after the end would fail, or be no numbers
  auto f = kt::function([](kt::var<double, n> x, kt::var<std::int64_t, n> at, kt::var<double, 3> table) {
    const auto [product, looked_up, count] = kt::scan(
        [&](auto each, auto index, auto before) {
          return std::tuple{before * kt::sqrt(each), table[index] * each, kt::until(each == 4.0)};
        },
        kt::sequences(x, at), kt::carried(1.0));
    const auto cost = kt::sum(looked_up.all) + product.last;
    return kt::outputs(cost, kt::grad(cost, x), kt::grad(cost, table), count);
  });
  const kt::tensor<double, 1> table({3}, {1, 2, 3});
  const auto [cost, by_x, by_table, count] =
      f(kt::tensor<double, 1>({4}, {1, 4, -1, 0}), kt::tensor<std::int64_t, 1>({4}, {0, 2, 7, -9}), table);
  CHECK(static_cast<double>(cost) == 1 + 12 + 2);
  CHECK(numbers(by_x.begin(), by_x.end()) == numbers{1 + 1, 3 + 0.25, 0, 0});
  CHECK(numbers(by_table.begin(), by_table.end()) == numbers{1, 0, 4});
  CHECK(static_cast<std::int64_t>(count) == 2);
}

TEST_CASE("until: alone, with taps, in other loops, and in folds") {
  auto first = kt::function(
      [](kt::var<float, n> x) { return kt::scan([](auto each) { return kt::until(each > 2.0f); }, kt::sequences(x)); });
  CHECK(static_cast<std::int64_t>(first(kt::tensor<float, 1>({4}, {1, 2, 3, 4}))) == 3);

  auto fibonacci = kt::function([](kt::var<double> most, kt::var<double, 2> begin) {
    const auto [x, count] = kt::scan(
        [&](auto before, auto last) {
          return std::tuple{before + last, kt::until(before + last > most)};
        },
        kt::carried(kt::taps<-2, -1>(begin)), kt::steps<30>());
    return kt::outputs(x.last, count, kt::grad(x.last, begin));
  });
  const kt::tensor<double, 1> begin({2}, {0, 1});
  const auto [x, count, slopes] = fibonacci(50.0, begin);
  CHECK(static_cast<double>(x) == 55);
  CHECK(static_cast<std::int64_t>(count) == 9);
  CHECK(numbers(slopes.begin(), slopes.end()) == numbers{34, 55});
  CHECK(kt::debug::verify(fibonacci, 50.0, begin));

  auto rows = kt::function([](kt::var<double, n, 4> y) {
    const auto roots = kt::map(
        [](auto row) {
          const auto [sum, ran] = kt::reduce(
              [](auto each, auto before) {
                return std::tuple{before + each * each, kt::until(each < 0)};
              },
              kt::sequences(row), kt::carried(0.0));
          return std::tuple{sum, ran};
        },
        kt::sequences(y));
    const auto cost = kt::sum(kt::sqrt(std::get<0>(roots)));
    return kt::outputs(std::get<0>(roots), std::get<1>(roots), kt::grad(cost, y));
  });
  const kt::tensor<double, 2> y({3, 4}, {1, -2, 3, 4, -5, 6, 7, 8, 1, 1, 1, 1});
  const auto [sums, ran, by_y] = rows(y);
  CHECK(numbers(sums.begin(), sums.end()) == numbers{5, 25, 4});
  CHECK(numbers(ran.begin(), ran.end()) == numbers{2, 1, 4});
  CHECK(by_y(0, 2) == 0);
  CHECK(by_y(1, 0) == -1);
  CHECK(kt::debug::verify(rows, y));
}

TEST_CASE("until: second derivatives and forward mode") {
  auto f = kt::function([](kt::var<double> a, kt::var<double> v) {
    const auto [x, count] = kt::scan(
        [&](auto before) {
          const auto next = kt::sin(before) * a;
          return std::tuple{next, kt::until(next < 0.5)};
        },
        kt::carried(1.3), kt::steps<12>());
    const auto cost = x.last * kt::sum(x.all);
    return kt::outputs(cost, kt::grad(kt::grad(cost, a), a), kt::jvp(cost, a, v));
  });
  CHECK(kt::debug::verify(f, 0.9, 1.0));
}

}  // namespace
