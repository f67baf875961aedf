#include "../../support.hpp"

TEST_CASE("prod") {
  using namespace test;
  const tensor x = matrix(2, 3, {1, 2, 3, 4, 5, -6});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::prod(a); }, {x}), {}, {-720});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::prod(a, kt::axis<0>); }, {x}), {3}, {4, 10, -18});
  const auto total = [](kt::var<double, n> a) { return kt::prod(a); };
  check_tensor(eval(total, {vector({})}), {}, {1});
  check_tensor(eval(total, {vector({0, inf})}), {}, {quiet_nan});
  check_tensor(eval(total, {vector({-2, inf})}), {}, {-inf});
  check_tensor(eval([](kt::var<std::uint8_t, n> a) { return kt::prod(a); }, {vector({100, 100})}), {}, {10000});
}

TEST_CASE("prod: gradient, also where elements are zero") {
  using namespace test;
  const auto total = [](kt::var<double, n> a) { return kt::prod(a); };
  const auto slope = [](kt::var<double, n> a) { return kt::grad(kt::prod(a), a); };
  check_grad(total, {vector({1.5, -2, 3})});
  check_grad(total, {vector({0, -2, 3})});
  check_grad(total, {vector({0, -2, 0})});
  check_tensor(eval(slope, {vector({0, 2, 3})}), {3}, {6, 0, 0});
  check_grad(slope, {vector({1.5, -2, 3})});
  check_grad(slope, {vector({0, -2, 3})});
  check_grad([](kt::var<double, n, m> a) { return kt::prod(a, kt::axis<1>); }, {matrix(2, 2, {1, 2, 0, 4})});
  // with two zeros the gradient is 0, but changes with either; with three it does not change
  check_grad(slope, {vector({0, -2, 0})});
  check_grad(slope, {vector({0, 3, 0, -2, 5})});
  check_grad(slope, {vector({0, 0, 0, 2})});
  const auto rows = [](kt::var<double, n, m> a) { return kt::grad(kt::sum(kt::prod(a, kt::axis<1>)), a); };
  check_grad(rows, {matrix(3, 3, {0, 0, 3, 1, 0, 2, 0, 0, 0})});
  const auto third = [](kt::var<double, n> a) { return kt::grad(kt::sum(kt::sqr(kt::grad(kt::prod(a), a))), a); };
  check_grad(third, {vector({0, -2, 0})});
}
