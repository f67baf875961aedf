#include "../../support.hpp"

TEST_CASE("where") {
  using namespace test;
  const auto choose = [](kt::var<bool, n, 1> c, kt::var<double, m> x, kt::var<double> y) {
    return kt::where(c, x, y);
  };
  check_tensor(eval(choose, {matrix(2, 1, {1, 0}), vector({1, inf}), scalar(quiet_nan)}), {2, 2},
               {1, inf, quiet_nan, quiet_nan});
  check_tensor(eval(choose, {matrix(0, 1, {}), vector({1, 2}), scalar(3)}), {0, 2}, {});
  check_grad(choose, {matrix(2, 1, {1, 0}), vector({1, 2}), scalar(3)});
  const auto of_integers = [](kt::var<bool, n> c, kt::var<int, n> x) { return kt::where(c, x, -1); };
  check_tensor(eval(of_integers, {vector({1, 0}), vector({5, 6})}), {2}, {5, -1});
}

TEST_CASE("where: the branch that is not taken leaks no NaN into the gradient") {
  using namespace test;
  const auto f = [](kt::var<double, n> x) { return kt::grad(kt::sum(kt::where(x > 0, x * x, 3 * x)), x); };
  check_tensor(eval(f, {vector({2, -2, inf, quiet_nan})}), {4}, {4, 3, inf, 3});
  const auto g = [](kt::var<double, n> x, kt::var<double, n> y) {
    return kt::grad(kt::sum(kt::where(x > 0, y, kt::exp(x))), y);
  };
  check_tensor(eval(g, {vector({2, -2}), vector({inf, inf})}), {2}, {1, 0});
}
