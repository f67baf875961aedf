// Random orders: their frequencies, rows in random order, and the numbers of one seed on any threads.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include "../sanitized.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace kt = kroton;

namespace {

constexpr struct n : kt::dim<n> {} n;
constexpr auto shuffled = [](kt::var<float, n, 2> x) {
  const auto order = kt::random::permutation<n>();
  return kt::outputs(kt::take(x, order), order, kt::random::permutation<n>());
};

bool is_order(const kt::tensor<std::int64_t, 1>& order) {
  std::vector<std::int64_t> sorted(order.begin(), order.end()), all(sorted.size());
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return sorted == all;
}

TEST_CASE("permutation: rows in random order, for any threads, and the interpreter") {
  auto one = kt::function(shuffled, kt::context::host(1), kt::seed{3});
  auto two = kt::function(shuffled, kt::context::host(2), kt::seed{3});
  for (const std::int64_t rows : {0, 1, 2, 1000, 70001}) {
    CAPTURE(rows);
    kt::tensor<float, 2> x({rows, 2});
    std::iota(x.begin(), x.end(), 0.0f);
    const auto [y, order, other] = one(x);
    const auto same = two(x);
    CHECK(is_order(order));
    CHECK(is_order(other));
    CHECK(std::equal(order.begin(), order.end(), std::get<1>(same).begin()));
    bool agree = true, differ = false;
    for (std::int64_t i = 0; i < rows; ++i) {
      agree = agree && y(i, 1) == x(order(i), 1);
      differ = differ || order(i) != other(i);
    }
    CHECK(agree);
    CHECK((differ || rows < 1000));
  }
  const kt::tensor<float, 2> x({300, 2});
  const kt::debug::comparison found = kt::debug::verify(one, x);
  CAPTURE(found.where);
  CHECK(found.ok);
}

TEST_CASE("permutation: all orders of four are equally likely") {
  constexpr int count = test::is_sanitized ? 2400 : 24000;
  auto f = kt::function([] { return kt::random::permutation<4>(); }, kt::context::host(), kt::seed{1});
  double counts[256] = {}, chi_squared = 0;
  for (int call = 0; call < count; ++call) {
    const auto order = f();
    counts[order(0) + 4 * order(1) + 16 * order(2) + 64 * order(3)] += 1;
  }
  int orders = 0;
  for (const double c : counts)
    if (c > 0) ++orders, chi_squared += (c - count / 24.0) * (c - count / 24.0) / (count / 24.0);
  CHECK(orders == 24);
  CHECK(std::abs(chi_squared - 23) < 4 * std::sqrt(2 * 23.0));
}

}  // namespace
