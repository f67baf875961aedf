// Selections of as many elements as a call says, and products that are written as text.
#include "support.hpp"

#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

using namespace test;

namespace {

template <class Tensor>
numbers values_of(const Tensor& t) {
  return numbers(t.begin(), t.end());
}

TEST_CASE("selected: positions and rows of a mask") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double, n, 2> rows) {
    const auto [index, total] = kt::nonzero<3>(x > 0);
    const auto [values, count] = kt::compress<3>(x, x > 0);
    const auto [chosen, same] = kt::compress<2>(rows, x > 0);
    return kt::outputs(index, total, values, count, chosen,
                       kt::grad(kt::sum(kt::sqr(chosen)) + kt::sum(values * values), x),
                       kt::grad(kt::sum(kt::sqr(chosen)), rows));
  });
  const kt::tensor<double, 2> rows({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  {
    const auto [index, total, values, count, chosen, of_x, of_rows] = f(numbers{-1, 2, 0, 3}, rows);
    CHECK(values_of(index) == numbers{1, 3, 4});
    CHECK(static_cast<std::int64_t>(total) == 2);
    CHECK(values_of(values) == numbers{2, 3, 0});
    CHECK(static_cast<std::int64_t>(count) == 2);
    CHECK(values_of(chosen) == numbers{3, 4, 7, 8});
    CHECK(values_of(of_x) == numbers{0, 4, 0, 6});
    CHECK(values_of(of_rows) == numbers{0, 0, 6, 8, 0, 0, 14, 16});
  }
  for (const numbers& x : {numbers{1, 2, 3, 4}, numbers{-1, -2, -3, quiet_nan}}) CHECK(kt::debug::verify(f, x, rows));
  const auto [index, total, values, count, chosen, of_x, of_rows] = f(numbers{}, kt::tensor<double, 2>({0, 2}));
  CHECK(values_of(index) == numbers{0, 0, 0});
  CHECK(static_cast<std::int64_t>(total) == 0);
  CHECK(values_of(chosen) == numbers{0, 0, 0, 0});
}

TEST_CASE("selected: different values and their counts") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<int, m> y) {
    const auto [values, counts, count] = kt::unique<4>(x);
    const auto [small, times, total] = kt::unique<2>(y);
    return kt::outputs(values, counts, count, small, times, total);
  });
  const auto check = [&](const numbers& x, const std::vector<int>& y, const numbers& values, const numbers& counts,
                         std::int64_t count, const numbers& small, const numbers& times, std::int64_t total) {
    const auto [a, b, c, d, e, g] = f(x, y);
    check_values({{4}, values_of(a)}, values);
    CHECK(values_of(b) == counts);
    CHECK(static_cast<std::int64_t>(c) == count);
    CHECK(values_of(d) == small);
    CHECK(values_of(e) == times);
    CHECK(static_cast<std::int64_t>(g) == total);
    CHECK(kt::debug::verify(f, x, y));
  };
  check({3, 1, 3, 2, 1, 3}, {5, -7, 5, 9}, {1, 2, 3, 0}, {2, 1, 3, 0}, 3, {-7, 5}, {1, 2}, 3);
  check({quiet_nan, 1, quiet_nan}, {4}, {1, quiet_nan, 0, 0}, {1, 2, 0, 0}, 2, {4, 0}, {1, 0}, 1);
  check({}, {}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, {0, 0}, {0, 0}, 0);
}

}  // namespace
