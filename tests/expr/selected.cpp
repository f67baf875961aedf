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

TEST_CASE("selected: partitions, and runs of equal neighbours") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double, n, 2> rows) {
    const auto [values, count] = kt::partition(x, x > 0);
    const auto [lines, same] = kt::partition(rows, x > 0);
    const auto [runs, lengths, total] = kt::run_lengths<3>(x);
    return kt::outputs(values, count, lines, runs, lengths, total,
                       kt::grad(kt::sum(values * kt::arange<double, n>()), x));
  });
  const kt::tensor<double, 2> rows({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto [values, count, lines, runs, lengths, total, of_x] = f(numbers{-1, 2, -1, 3}, rows);
  CHECK(values_of(values) == numbers{2, 3, -1, -1});
  CHECK(static_cast<std::int64_t>(count) == 2);
  CHECK(values_of(lines) == numbers{3, 4, 7, 8, 1, 2, 5, 6});
  CHECK(values_of(runs) == numbers{-1, 2, -1});
  CHECK(values_of(lengths) == numbers{1, 1, 1});
  CHECK(static_cast<std::int64_t>(total) == 4);
  CHECK(values_of(of_x) == numbers{2, 0, 3, 1});
  for (const numbers& x : {numbers{1, 1, 3, 3}, numbers{-1, -2, -2, quiet_nan}, numbers{quiet_nan, quiet_nan, 0, -0.0}})
    CHECK(kt::debug::verify(f, x, rows));
  CHECK(kt::debug::verify(f, numbers{}, kt::tensor<double, 2>({0, 2})));
}

TEST_CASE("selected: long masks, in pieces for threads") {
  auto f = kt::function([](kt::var<double, n> x) {
    const auto [index, count] = kt::nonzero<100'000>(x > 0);
    return kt::outputs(index, count, kt::partition(kt::arange<std::int64_t, n>(), x > 0).values);
  });
  for (const std::int64_t size : {16383, 16384, 70001, 3'000'000})
    for (const double share : {0.0, 0.01, 0.5, 1.0}) {
      numbers x(static_cast<std::size_t>(size));
      std::uint32_t bits = 1;
      for (double& each : x) each = (bits = bits * 1664525 + 1013904223) < share * 4294967296.0 ? 1 : -1;
      std::vector<std::int64_t> held, others;
      for (std::int64_t i = 0; i < size; ++i) (x[static_cast<std::size_t>(i)] > 0 ? held : others).push_back(i);
      const auto [index, count, parted] = f(x);
      CHECK(static_cast<std::int64_t>(count) == static_cast<std::int64_t>(held.size()));
      std::vector<std::int64_t> first = held, all = held;
      first.resize(100'000, size);
      all.insert(all.end(), others.begin(), others.end());
      CHECK(std::equal(first.begin(), first.end(), index.begin()));
      CHECK(std::equal(all.begin(), all.end(), parted.begin(), parted.end()));
    }
}

TEST_CASE("selected: vectors as sets") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double, m> y) {
    const auto [all, of_all] = kt::set_union<5>(x, y);
    const auto [both, of_both] = kt::set_intersection<2>(x, y);
    const auto [rest, of_rest] = kt::set_difference<3>(x, y);
    return kt::outputs(all, of_all, both, of_both, rest, of_rest, kt::isin(x, y));
  });
  const auto check = [&](const numbers& x, const numbers& y, const numbers& all, const numbers& both,
                         const numbers& rest, const std::vector<int>& sizes, const std::vector<bool>& among) {
    const auto [a, of_a, b, of_b, r, of_r, in] = f(x, y);
    check_values({{5}, values_of(a)}, all);
    check_values({{2}, values_of(b)}, both);
    check_values({{3}, values_of(r)}, rest);
    CHECK(std::vector<int>{static_cast<int>(static_cast<std::int64_t>(of_a)),
                           static_cast<int>(static_cast<std::int64_t>(of_b)),
                           static_cast<int>(static_cast<std::int64_t>(of_r))} == sizes);
    CHECK(std::vector<bool>(in.begin(), in.end()) == among);
    CHECK(kt::debug::verify(f, x, y));
  };
  check({5, 1, 3, 1}, {3, 4, 3}, {1, 3, 4, 5, 0}, {3, 0}, {1, 5, 0}, {4, 1, 2}, {false, false, true, false});
  check({quiet_nan, 7, -0.0, quiet_nan, 9}, {0, quiet_nan, 8, 7}, {-0.0, 7, 8, 9, quiet_nan}, {-0.0, 7}, {9, 0, 0},
        {5, 3, 1}, {true, true, true, true, false});
  check({}, {2}, {2, 0, 0, 0, 0}, {0, 0}, {0, 0, 0}, {1, 0, 0}, {});
  check({2}, {}, {2, 0, 0, 0, 0}, {0, 0}, {2, 0, 0}, {1, 0, 1}, {false});
}

}  // namespace
