// Numbers drawn by rejection: element types, extremes, gradients, and the same numbers for any threads and pieces.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include "../sanitized.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kt = kroton;

namespace {

constexpr struct n : kt::dim<n> {} n;
constexpr double infinity = std::numeric_limits<double>::infinity(),
                 no_number = std::numeric_limits<double>::quiet_NaN();

template <class F, class... X>
void check(F& f, const X&... x) {
  const kt::debug::comparison found = kt::debug::verify(f, x...);
  CAPTURE(found.where);
  CHECK(found.ok);
}

TEST_CASE("poisson and binomial: element types, extremes, and parameters that broadcast") {
  auto f = kt::function([](kt::var<double, n> rate, kt::var<float, n> p, kt::var<int, n> trials) {
    const auto k = kt::random::poisson(rate);
    return kt::outputs(k, kt::random::poisson<std::int8_t, n>(rate), kt::random::poisson<std::uint64_t, n>(rate),
                       kt::random::binomial(10, p), kt::random::binomial(trials, 0.5),
                       kt::random::binomial<int, n>(rate, p), kt::random::poisson<kt::half, 3, n>(p),
                       kt::random::binomial<int, 2, n>(trials, p), kt::grad(kt::sum(k * rate), rate),
                       kt::random::binomial(rate, 0.1));
  });
  const kt::tensor<double, 1> rates({8}, {0, 5e-324, -1, no_number, infinity, 1e18, 1.7e308, 1e6});
  const kt::tensor<float, 1> p({8}, {0, 1, -0.25f, static_cast<float>(no_number), 2, 0.5f, 1, 0});
  const kt::tensor<int, 1> trials({8}, {0, 1, -5, 100, 7, 2'000'000'000, 3, 4});
  const auto [k, narrow, wide, ten, of_trials, of_both, halves, rows, gradient, tenths] = f(rates, p, trials);
  CHECK(k(0) == 0);
  CHECK(k(1) == 0);
  CHECK(k(4) == infinity);
  CHECK(k(6) == 1.7e308);
  CHECK(std::isnan(k(2)));
  CHECK(std::isnan(k(3)));
  CHECK(std::abs(k(5) - 1e18) < 1e10);
  CHECK(std::abs(k(7) - 1e6) < 1e4);
  CHECK(narrow(0) == 0);
  CHECK(narrow(2) == 0);
  CHECK(narrow(3) == 0);
  CHECK(narrow(4) == 127);
  CHECK(narrow(7) == 127);
  CHECK(wide(4) == ~std::uint64_t{0});
  CHECK(wide(5) > 999'999'990'000'000'000u);
  CHECK(ten(0) == 0);
  CHECK(ten(1) == 10);
  CHECK(ten(6) == 10);
  CHECK(ten(5) <= 10);
  CHECK(std::isnan(ten(2)));
  CHECK(std::isnan(ten(3)));
  CHECK(std::isnan(ten(4)));
  CHECK(std::abs(tenths(6) - 1.7e307) < 1e292);
  CHECK(of_trials(0) == 0);
  CHECK(of_trials(2) == 0);
  CHECK(std::abs(of_trials(5) - 1e9) < 1e6);
  CHECK(of_both(1) == 0);
  CHECK(of_both(4) == 0);
  CHECK(of_both(6) == std::numeric_limits<int>::max());
  CHECK(rows(1, 1) == 1);
  CHECK(rows(0, 6) == 3);
  CHECK(static_cast<float>(halves(2, 0)) == 0);
  for (std::int64_t i : {0, 1, 5, 6, 7}) CHECK(gradient(i) == k(i));  // none through k
  check(f, rates, p, trials);
  CHECK(std::get<0>(f(kt::tensor<double, 1>({0}), kt::tensor<float, 1>({0}), kt::tensor<int, 1>({0}))).size() == 0);
}

TEST_CASE("gamma: element types, extremes, and gradients") {
  auto f = kt::function([](kt::var<double, n> shape, kt::var<float, 2, n> rate) {
    const auto z = kt::random::gamma(shape);
    const auto y = kt::random::gamma<double, 2, n>(shape, kt::cast<double>(rate));
    return kt::outputs(z, y, kt::random::gamma<float, n>(shape, 0.5), kt::random::gamma<kt::half, 5>(3),
                       kt::grad(kt::sum(z), shape), kt::grad(kt::sum(y), rate), kt::grad(kt::sum(y * y), shape));
  });
  const kt::tensor<double, 1> shapes({9}, {0, 5e-324, 1e-3, -1, no_number, infinity, 1e300, 1, 40});
  kt::tensor<float, 2> rates({2, 9});
  for (std::int64_t i = 0; i < 18; ++i) rates.data()[i] = static_cast<float>(1 + i % 5);
  const auto [z, y, scaled, halves, of_shape, of_rate, of_squares] = f(shapes, rates);
  CHECK(z(0) == 0);
  CHECK(z(1) == 0);
  CHECK(std::isnan(z(3)));
  CHECK(std::isnan(z(4)));
  CHECK(z(5) == infinity);
  CHECK(z(6) == 1e300);
  CHECK(static_cast<double>(scaled(8)) > 20);
  CHECK(of_shape(0) == 0);
  CHECK(of_shape(5) == 1);
  CHECK(of_shape(6) == 1);
  for (std::int64_t i : {7, 8})
    CHECK(static_cast<double>(of_rate(1, i)) == doctest::Approx(-y(1, i) / static_cast<double>(rates(1, i))));
  CHECK(static_cast<float>(halves(4)) > 0);
  check(f, kt::tensor<double, 1>({9}, {0.01, 0.2, 0.9, 1, 1.5, 7, 99, 101, 4000}), rates);
  CHECK(std::get<0>(f(kt::tensor<double, 1>({0}), kt::tensor<float, 2>({2, 0}))).size() == 0);
}

TEST_CASE("multinomial: counts that add up, extremes, and counts that broadcast") {
  auto f = kt::function(
      [](kt::var<double, n, 4> weights, kt::var<int, n> count, kt::var<float, 3, 1> counts, kt::var<float, 5> shared) {
        const auto k = kt::random::multinomial(count, weights);
        return kt::outputs(k, kt::random::multinomial<int>(12, weights), kt::random::multinomial<int>(counts, weights),
                           kt::random::multinomial<std::int64_t>(1e15, shared), kt::grad(kt::sum(k * weights), weights),
                           kt::random::multinomial<int>(count, shared));
      });
  const kt::tensor<double, 2> weights(
      {9, 4}, {1, 2, 3, 4,  0, 5, 0, 0,         1, 1, 1, 0,        0, 0, 0,      0,     0, 0,
               0, 0, 1, -1, 1, 1, 1, no_number, 1, 1, 1, infinity, 1, 1, 1e-300, 1e300, 0, 1e300});
  const kt::tensor<int, 1> count({9}, {1000, 7, 2'000'000'000, 0, 5, 3, 3, 3, -1});
  const kt::tensor<float, 2> counts({3, 1}, {10.75f, 0, 1});
  const kt::tensor<float, 1> shared({5}, {0, 1, 1e-3f, 7, 0});
  const auto [k, twelve, of_counts, large, gradient, of_shared] = f(weights, count, counts, shared);
  const auto total = [](const auto& x, std::int64_t row, std::int64_t outcomes) {
    double sum = 0;
    for (std::int64_t i = 0; i < outcomes; ++i) sum += static_cast<double>(x.data()[row * outcomes + i]);
    return sum;
  };
  for (std::int64_t i : {0, 1, 2, 3}) CHECK(total(k, i, 4) == count(i));
  for (std::int64_t i = 4; i < 9; ++i) CHECK(std::isnan(k(i, 1)));
  for (std::int64_t i : {0, 1, 2, 8}) CHECK(total(twelve, i, 4) == 12);
  for (std::int64_t i : {3, 4, 5, 6, 7}) CHECK(total(twelve, i, 4) == 0);
  CHECK(twelve(1, 1) == 12);
  for (std::int64_t i : {0, 1, 2, 8}) CHECK(total(of_counts, i, 4) == 10);
  for (std::int64_t i : {9, 10}) CHECK(total(of_counts, i, 4) == 0);
  for (std::int64_t i : {18, 19}) CHECK(total(of_counts, i, 4) == 1);
  CHECK(total(large, 0, 5) == 1e15);
  CHECK(large(0) == 0);
  CHECK(total(of_shared, 2, 5) == 2e9);
  for (std::int64_t i : {0, 1, 2}) CHECK(gradient(i, 1) == k(i, 1));  // none through k
  check(f, weights, count, counts, shared);
  CHECK(std::get<0>(f(kt::tensor<double, 2>({0, 4}), kt::tensor<int, 1>({0}), counts, shared)).size() == 0);
  auto of_none = kt::function([](kt::var<double, 3, n> none) { return kt::random::multinomial<int>(2, none); });
  CHECK(of_none(kt::tensor<double, 2>({3, 0})).size() == 0);
}

TEST_CASE(
    "poisson: a kernel loads counts that another kernel has drawn, which takes less time than drawing them again") {
  auto f = kt::function([](kt::var<float, n> x) {
    const auto k = kt::random::poisson<float, n>(4);
    return kt::sum(x * kt::exp(0.001 * k * kt::sum(x * k)));
  });
  static_assert(kt::stats(f).peak_bytes(n(1000)) >= 4000);
  check(f, kt::tensor<float, 1>({5}, {1, -2, 3, 4, -5}));
}

TEST_CASE("poisson, binomial, gamma and multinomial: the same for any threads and pieces") {
  constexpr auto draws = [](kt::var<float, n, 3> x) {
    return kt::outputs(kt::random::poisson(x), kt::random::binomial<int, n, 3>(40, 1 / (1 + x)), kt::random::gamma(x),
                       kt::random::multinomial<int>(kt::random::poisson<int, n>(20), x));
  };
  kt::tensor<float, 2> x({test::is_sanitized ? 2'001 : 44'001, 3});  // more than one thread takes alone
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 41) * 0.5f;
  auto one = kt::function(draws, kt::context::host(1)), two = kt::function(draws, kt::context::host(2));
  auto divided = kt::function(draws, kt::context::host(2));
  auto pieces = kt::chunked<n>(divided, 1234);
  const auto same = [](const auto& a, const auto& b) {
    return std::apply(
        [&](const auto&... of_a) {
          return std::apply(
              [&](const auto&... of_b) {
                return (std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end()) && ...);
              },
              b);
        },
        a);
  };
  for (int call = 0; call < 2; ++call) {
    const auto expected = one(x);
    CHECK(same(two(x), expected));
    CHECK(same(pieces(x), expected));
  }
}

}  // namespace
