#include "../../support.hpp"

TEST_CASE("take") {
  using namespace test;
  const tensor x = matrix(3, 2, {1, 2, 3, 4, 5, 6});
  const auto f = [](kt::var<double, n, 2> a, kt::var<int, m> i) { return kt::take(a, i); };
  check_tensor(eval(f, {x, vector({2, 0, 2, 1})}), {4, 2}, {5, 6, 1, 2, 5, 6, 3, 4});
  check_tensor(eval(f, {x, vector({})}), {0, 2}, {});
  check_tensor(eval(f, {matrix(0, 2, {}), vector({})}), {0, 2}, {});
  check_tensor(
      eval([](kt::var<double, n> a, kt::var<std::uint8_t> i) { return kt::take(a, i); }, {vector({7, 8}), scalar(1)}),
      {}, {8});
  const auto table = [](kt::var<double, n> a, kt::var<int, 2, 2> i) { return kt::take(a, i); };
  check_tensor(eval(table, {vector({7, 8}), matrix(2, 2, {0, 1, 1, 0})}), {2, 2}, {7, 8, 8, 7});
  CHECK_THROWS_WITH_AS(eval(f, {x, vector({3})}),
                       "kroton: index 3 is outside [0, 3); pass indices of rows that there are", kt::index_error);
  CHECK_THROWS_AS(eval(f, {x, vector({-1})}), kt::index_error);
}

TEST_CASE("take: gradient, which adds rows at repeated indices") {
  using namespace test;
  const tensor x = matrix(3, 2, {1, 2, 3, 4, 5, 6}), index = vector({2, 0, 2});
  check_grad([](kt::var<double, n, 2> a, kt::var<int, m> i) { return kt::sqr(kt::take(a, i)); }, {x, index});
  const auto slope = [](kt::var<double, n, 2> a, kt::var<int, m> i) { return kt::grad(kt::sum(kt::take(a, i)), a); };
  check_tensor(eval(slope, {x, index}), {3, 2}, {1, 1, 0, 0, 2, 2});
  check_tensor(eval(slope, {x, vector({})}), {3, 2}, {0, 0, 0, 0, 0, 0});
  check_grad(
      [](kt::var<double, n, 2> a, kt::var<int, m> i) { return kt::grad(kt::sum(kt::exp(kt::take(a, i) / 5)), a); },
      {x, index});
}
