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
  const auto power = [](kt::var<double, n> a, kt::var<double, n> b) { return kt::grad(kt::sum(kt::pow(a, b)), b); };
  check_tensor(eval(power, {vector({0, 1}), vector({2, 2})}), {2}, {0, 0});
  const auto mixed = [](kt::var<double, n> a, kt::var<double, n> b) {
    return kt::grad(kt::sum(kt::grad(kt::sum(kt::pow(a, b)), b)), a);
  };
  check_tensor(eval(mixed, {vector({0, 1}), vector({2, 2})}), {2}, {0, 1});
}

TEST_CASE("pow: derivatives at zeros") {
  using namespace test;
  const auto slope = [](kt::var<double, n> a, kt::var<double, n> b) { return kt::grad(kt::sum(kt::pow(a, b)), a); };
  const auto power = [](kt::var<double, n> a, kt::var<double, n> b) { return kt::grad(kt::sum(kt::pow(a, b)), b); };
  // x^0 is 1 everywhere; from 0, x^0.5 rises with an infinite slope, and 1/x is infinite on both sides
  const numbers x = {0, -0.0, 3, tiny, inf, 0, 0, 0, 0, quiet_nan};
  const numbers y = {0, 0, 0, 0, 0, 1, 2, 0.5, -1, 1.5};
  check_values(eval(slope, {vector(x), vector(y)}), {0, 0, 0, 0, 0, 1, 0, inf, -inf, quiet_nan});
  check_values(eval(power, {vector({0, 0, 0, 1, 0}), vector({0, 2, -1, 5, quiet_nan})}), {0, 0, -inf, 0, quiet_nan});
  const auto constant_power = [](kt::var<double, n> a) { return kt::grad(kt::sum(kt::pow(a, 0)), a); };
  check_values(eval(constant_power, {vector({0, 2})}), {0, 0});
  // second derivatives are no NaN either
  const auto second = [](kt::var<double, n> a, kt::var<double, n> b) {
    const auto cost = kt::sum(kt::pow(a, b));
    const auto da = kt::sum(kt::grad(cost, a)), db = kt::sum(kt::grad(cost, b));
    return kt::outputs(kt::grad(da, a), kt::grad(da, b), kt::grad(db, b));
  };
  const auto found = run(second, {vector({0, 2}), vector({0, 0})});
  check_values(found.outputs[0], {0, -0.0});
  check_values(found.outputs[1], {0, 0.5});
  check_values(found.outputs[2], {0, std::log(2.0) * std::log(2.0)});
  const auto square = [](kt::var<double, n> a) { return kt::grad(kt::sum(kt::grad(kt::sum(kt::pow(a, 2)), a)), a); };
  check_values(eval(square, {vector({0, 3})}), {2, 2});
}
