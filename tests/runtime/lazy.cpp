// Elements that are computed where an algorithm reads them.
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <ranges>
#include <span>
#include <vector>

namespace kt = kroton;

TEST_CASE("lazy: in algorithms and ranges of the standard library") {
  std::vector<float> x(100), y(100);
  std::iota(x.begin(), x.end(), 0.0F);
  std::iota(y.begin(), y.end(), 3.0F);
  const auto distance = kt::lazy([](kt::var<float> a, kt::var<float> b) { return kt::sqrt(a * a + b * b); }, x, y);
  using iterator = decltype(distance.begin());
  static_assert(std::random_access_iterator<iterator> && std::is_trivially_copyable_v<iterator>);
  static_assert(std::ranges::random_access_range<decltype(distance)>);
  REQUIRE(distance.size() == 100);
  for (std::int64_t i = 0; i < 100; ++i) {
    const float expected = std::hypot(x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(i)]);
    CHECK(distance[i] == doctest::Approx(expected));
    CHECK(distance.end()[i - 100] == distance[i]);
  }
  CHECK(std::lower_bound(distance.begin(), distance.end(), 71.0F) - distance.begin() == 49);
  CHECK(std::ranges::is_sorted(distance));
  std::vector<float> common;
  const std::vector<float> others{1, 3, 5, distance[7]};
  std::set_intersection(distance.begin(), distance.end(), others.begin(), others.end(), std::back_inserter(common));
  CHECK(common == std::vector<float>{3, distance[7]});
  const auto backwards =
      std::vector<float>(std::reverse_iterator(distance.end()), std::reverse_iterator(distance.begin()));
  CHECK(backwards.front() == distance[99]);
  x[0] = 4;  // it refers to the vectors
  CHECK(distance[0] == 5);
}

TEST_CASE("lazy: functors, gradients, several outputs, and what holds elements") {
  constexpr auto slope = kt::functor([](kt::var<double> a) { return kt::grad(a * a * a, a); });
  const kt::tensor<double, 1> x({3}, {1, 2, 3});
  const auto slopes = kt::lazy(slope, x);
  CHECK(std::accumulate(slopes.begin(), slopes.end(), 0.0) == 3 + 12 + 27);
  const std::array<int, 3> n{7, 8, 9};
  const auto both = kt::lazy([](kt::var<int> a) { return kt::outputs(a / 2, kt::rem(a, 2)); }, std::span(n));
  const auto [half, rest] = both[0];
  CHECK(half == 3);
  CHECK(rest == 1);
  const std::vector<float> none;
  const auto empty = kt::lazy([](kt::var<float> a) { return -a; }, none);
  CHECK(empty.begin() == empty.end());
}

TEST_CASE("lazy: vectors of different sizes") {
  const std::vector<float> two(2), three(3);
  const auto product = [](kt::var<float> a, kt::var<float> b) { return a * b; };
  CHECK_THROWS_WITH_AS(kt::lazy(product, two, three),
                       "kroton: lazy: vector 1 has 2 elements, but vector 2 has 3; pass vectors that agree",
                       kt::shape_error);
}
