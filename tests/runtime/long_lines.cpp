// Lines that are so long that their sums are divided into parts, or that only their first elements are wanted in order.
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;

template <class T>
kt::tensor<T, 2> drawn(std::int64_t rows, std::int64_t columns, int values) {
  kt::tensor<T, 2> x({rows, columns});
  std::mt19937 bits(7);
  std::uniform_int_distribution<int> one(-values, values);
  for (T& each : x) each = static_cast<T>(one(bits)) / static_cast<T>(4);
  return x;
}

TEST_CASE("long lines: sums are those of one element after the other, for any number of threads") {
  const auto sums = [](kt::var<double, kt::any, n> x) {
    return kt::outputs(kt::cumsum(x, kt::axis<1>), kt::grad(kt::sum(kt::cumsum(x, kt::axis<1>) * x), x));
  };
  auto one = kt::function(sums, kt::context::host(1)), two = kt::function(sums, kt::context::host(2));
  for (const std::int64_t length : {65535, 65536, 65537, 69632, 81920, 4'200'001}) {
    CAPTURE(length);
    const std::int64_t rows = length > 1'000'000 ? 1 : 3;
    const auto x = drawn<double>(rows, length, 100);  // sums of quarters are exact
    const auto [sum, slope] = one(x);
    const auto [same_sum, same_slope] = two(x);
    CHECK(std::equal(sum.begin(), sum.end(), same_sum.begin()));
    CHECK(std::equal(slope.begin(), slope.end(), same_slope.begin()));
    bool is_right = true;
    for (std::int64_t i = 0; i < rows; ++i) {
      double before = 0;
      const double all = sum(i, length - 1);
      for (std::int64_t j = 0; j < length; ++j) {
        // the derivative of the sum of s(j) x(j) is s(j), and x of this index and all later ones
        is_right = is_right && slope(i, j) == sum(i, j) + all - before;
        before += x(i, j);
        is_right = is_right && sum(i, j) == before;
      }
    }
    CHECK(is_right);
  }
}

TEST_CASE("long lines: rounding errors do not grow with the length") {
  auto sums = kt::function([](kt::var<float, n> x, kt::var<float, 2, n> rows, kt::var<float, n, 2> columns) {
    return kt::outputs(kt::sum(x), kt::sum(rows, kt::axis<1>), kt::sum(columns, kt::axis<0>));
  });
  for (const std::int64_t length : {1000, 70'000, 1 << 20}) {
    for (const bool is_constant : {true, false}) {  // roundings of equal numbers all go the same way
      CAPTURE(length);
      kt::tensor<float, 1> x({length});
      std::mt19937 bits(3);
      for (float& each : x) each = is_constant ? 0.1f : std::uniform_real_distribution<float>(0, 1)(bits);
      kt::tensor<float, 2> rows({2, length}), columns({length, 2});
      for (std::int64_t i = 0; i < 2 * length; ++i) rows(i / length, i % length) = columns(i / 2, i % 2) = 0;
      for (std::int64_t i = 0; i < length; ++i) rows(1, i) = columns(i, 0) = x(i);
      const double expected = std::accumulate(x.begin(), x.end(), 0.0);
      const auto [all, by_row, by_column] = sums(x, rows, columns);
      const auto error = [&](float found) { return std::abs(found - expected) / expected; };
      CHECK(error(static_cast<float>(all)) <= 2e-7);
      CHECK(error(by_row(1)) <= 2e-7);
      CHECK(error(by_column(0)) <= 2e-7);
      CHECK(by_row(0) + by_column(1) == 0);
    }
  }
}

TEST_CASE("long lines: integers wrap, products and logarithms of sums") {
  auto f = kt::function([](kt::var<std::int64_t, n> x) { return kt::cumsum(x); });
  kt::tensor<std::int64_t, 1> x({100'003});
  std::fill(x.begin(), x.end(), std::numeric_limits<std::int64_t>::max() / 3);
  const auto sum = f(x);
  CHECK(sum(100'002) ==
        static_cast<std::int64_t>(static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / 3) * 100'003u));
  auto g = kt::function([](kt::var<double, n> y) {
    const auto logarithm = kt::logcumsumexp(y);
    return kt::outputs(kt::cumprod(y), logarithm, kt::grad(kt::sum(logarithm), y));
  });
  kt::tensor<double, 1> y({70'001});
  for (std::int64_t i = 0; i < y.size(); ++i) y(i) = i % 2 == 0 ? 2.0 : 0.5;
  const auto [product, logarithm, slope] = g(y);
  CHECK(product(69'999) == 1);
  CHECK(product(70'000) == 2);
  CHECK(logarithm(69'999) == doctest::Approx(std::log(35'000 * (std::exp(2.0) + std::exp(0.5)))));
  CHECK(slope(70'000) == doctest::Approx(std::exp(2.0 - logarithm(70'000))));
  CHECK(std::accumulate(slope.begin(), slope.end(), 0.0) == doctest::Approx(70'001));  // each sum's slopes add up to 1
}

/// Compares the largest elements with those of all positions in order.
template <class T, std::int64_t Count, int Axis>
void check_largest(const kt::tensor<T, 2>& x) {
  auto f = kt::function([](kt::var<T, kt::any, n> z) {
    const auto [values, index] = kt::topk<Count>(z, kt::axis<Axis>);
    return kt::outputs(values, index, kt::argsort(z, kt::axis<Axis>, kt::descending));
  });
  const auto [values, index, order] = f(x);
  bool is_right = true;
  for (std::int64_t i = 0; i < index.extent(0); ++i)
    for (std::int64_t j = 0; j < index.extent(1); ++j) {
      const std::int64_t at = index(i, j);
      const T found = values(i, j), there = Axis == 1 ? x(i, at) : x(at, j);
      is_right = is_right && at == order(i, j) && (found == there || (found != found && there != there));
    }
  CHECK(is_right);
}

TEST_CASE("long lines: the largest elements, with equal ones, NaNs and infinities") {
  check_largest<float, 3, 1>(drawn<float>(2, 5000, 10));
  check_largest<float, 100, 1>(drawn<float>(1, 60'001, 1'000'000));
  check_largest<float, 700, 1>(drawn<float>(1, 3001, 500));
  check_largest<double, 5, 0>(drawn<double>(1700, 3, 50));
  check_largest<std::int64_t, 4, 1>(drawn<std::int64_t>(2, 900, 3000));
  check_largest<float, 1, 1>(drawn<float>(3, 1, 5));
  auto x = drawn<float>(2, 4000, 20);
  for (std::int64_t j = 0; j < 4000; j += 3) x(0, j) = std::numeric_limits<float>::quiet_NaN();
  for (std::int64_t j = 0; j < 3999; ++j) x(1, j) = std::numeric_limits<float>::quiet_NaN();
  x(0, 17) = std::numeric_limits<float>::infinity();
  x(0, 19) = -std::numeric_limits<float>::infinity();
  check_largest<float, 6, 1>(x);
  check_largest<float, 3999, 1>(x);
  kt::tensor<float, 2> ascending({1, 10'000});
  std::iota(ascending.begin(), ascending.end(), 0.0F);
  check_largest<float, 8, 1>(ascending);
  std::fill(ascending.begin(), ascending.end(), -0.0F);
  ascending(0, 9000) = 0.0F;
  check_largest<float, 8, 1>(ascending);
}

}  // namespace
