#include "../../support.hpp"

#include <kroton/kroton.hpp>

#include <algorithm>
#include <numeric>
#include <random>

TEST_CASE("argsort: along an axis, stable, of extremes and of integers") {
  using namespace test;
  const auto positions = [](const tensor& t) { return t.integers; };
  const auto up = [](kt::var<double, n> a) { return kt::argsort(a); };
  const auto down = [](kt::var<double, n> a) { return kt::argsort(a, kt::descending); };
  using order = std::vector<std::int64_t>;
  const tensor x = vector({3, quiet_nan, 1, 3, -inf, 0.0, -0.0, inf, -quiet_nan, 5e-324});
  CHECK(positions(eval(up, {x})) == order{4, 5, 6, 9, 2, 0, 3, 7, 1, 8});
  CHECK(positions(eval(down, {x})) == order{7, 0, 3, 2, 9, 5, 6, 4, 1, 8});
  CHECK(positions(eval(up, {vector({})})).empty());
  CHECK(positions(eval(up, {vector({5})})) == order{0});
  const tensor y = matrix(2, 3, {3, 1, 2, 1, 5, 2});
  CHECK(positions(eval([](kt::var<double, n, m> a) { return kt::argsort(a, kt::axis<1>); }, {y})) ==
        order{1, 2, 0, 0, 2, 1});
  CHECK(positions(eval([](kt::var<double, n, m> a) { return kt::argsort(a, kt::axis<0>, kt::descending); }, {y})) ==
        order{0, 1, 0, 1, 0, 1});
  CHECK(
      positions(eval([](kt::var<double, n, 0> a) { return kt::argsort(a, kt::axis<1>); }, {matrix(2, 0, {})})).empty());
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                         most = std::numeric_limits<std::int64_t>::max();
  CHECK(positions(eval([](kt::var<std::int64_t, n> a) { return kt::argsort(a); },
                       {integers<std::int64_t>({0, least, most, -1, least})})) == order{1, 4, 3, 0, 2});
  CHECK(positions(eval([](kt::var<std::int8_t, n> a) { return kt::argsort(a, kt::descending); },
                       {integers<std::int8_t>({0, -128, 127, -1})})) == order{2, 0, 3, 1});
  CHECK(positions(eval([](kt::var<std::uint64_t, n> a) { return kt::argsort(a); },
                       {integers<std::uint64_t>({1, ~0ull, 0})})) == order{2, 0, 1});
}

TEST_CASE("argsort: long lines are sorted by digits, as short ones by comparisons") {
  using namespace test;
  auto f = kt::function([](kt::var<float, n, m> x, kt::var<std::int64_t, n, m> y) {
    return kt::outputs(kt::argsort(x, kt::axis<1>), kt::argsort(x, kt::axis<0>, kt::descending),
                       kt::argsort(y, kt::axis<1>), kt::argsort(y, kt::axis<0>, kt::descending));
  });
  for (const std::int64_t rows : {3, 600}) {
    const std::int64_t columns = 1800 / rows + 500;
    kt::tensor<float, 2> x({rows, columns});
    kt::tensor<std::int64_t, 2> y({rows, columns});
    std::mt19937_64 bits(5);
    for (float& each : x) each = static_cast<float>(static_cast<std::int64_t>(bits() % 1001) - 500) * 0.01f;
    for (std::int64_t& each : y) each = static_cast<std::int64_t>(bits() >> (bits() % 64));
    const auto [by_x, down_x, by_y, down_y] = f(x, y);
    const auto is_right = [&](const auto& values, const auto& found, bool along_rows, bool descends) {
      const std::int64_t lines = along_rows ? rows : columns, length = along_rows ? columns : rows;
      for (std::int64_t line = 0; line < lines; ++line) {
        const auto at = [&](std::int64_t i) { return along_rows ? line * columns + i : i * columns + line; };
        std::vector<std::int64_t> expected(static_cast<std::size_t>(length));
        std::iota(expected.begin(), expected.end(), 0);
        std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
          const auto left = values.data()[at(a)], right = values.data()[at(b)];
          return descends ? left > right : left < right;
        });
        for (std::int64_t i = 0; i < length; ++i)
          if (found.data()[at(i)] != expected[static_cast<std::size_t>(i)]) return false;
      }
      return true;
    };
    CHECK(is_right(x, by_x, true, false));
    CHECK(is_right(x, down_x, false, true));
    CHECK(is_right(y, by_y, true, false));
    CHECK(is_right(y, down_y, false, true));
  }
}
