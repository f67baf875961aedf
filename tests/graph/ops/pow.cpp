#include "../../support.hpp"

TEST_CASE("pow") {
  using namespace test;
  check_binary([](kt::var<double, n> x, kt::var<double, n> y) { return kt::pow(x, y); },
               [](double x, double y) { return std::pow(x, y); });
  // broadcasting, and gradients summed over it
  const auto f = [](kt::var<double, n, 1> a, kt::var<double, m> b) { return kt::pow(a, b); };
  const tensor x = matrix(2, 1, {1.5, 2}), y = vector({0.5, 3, -4});
  check_grad(f, {x, y});
  check_grad([](kt::var<double, n, 1> a, kt::var<double> b) { return kt::pow(a, b); }, {x, scalar(1.7)});
  const auto slopes = [](kt::var<double, n, 1> a, kt::var<double, m> b) {
    const auto cost = kt::sum(kt::pow(a, b));
    return kt::outputs(kt::grad(cost, a), kt::grad(cost, b));
  };
  check_grad(slopes, {x, y});
  check_tensor(eval(f, {matrix(2, 1, {1.5, 2}), vector({})}), {2, 0}, {});
  const auto cube = [](kt::var<double, n> a) { return kt::grad(kt::sum(kt::pow(a, 3)), a); };
  check_tensor(eval(cube, {vector({-2, 0, 2})}), {3}, {12, 0, 12});
  check_grad(cube, {vector({-2, 0.5, 2})});
  // 0 to a positive power does not change with the power
  const auto power = [](kt::var<double, n> a, kt::var<double, n> b) {
    return kt::grad(kt::sum(kt::pow(a, b)), b);
  };
  check_tensor(eval(power, {vector({0, 1}), vector({2, 2})}), {2}, {0, 0});
  const auto mixed = [](kt::var<double, n> a, kt::var<double, n> b) {
    return kt::grad(kt::sum(kt::grad(kt::sum(kt::pow(a, b)), b)), a);
  };
  check_tensor(eval(mixed, {vector({0, 1}), vector({2, 2})}), {2}, {0, 1});
}
