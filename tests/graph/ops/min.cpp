#include "../../support.hpp"

TEST_CASE("min") {
  using namespace test;
  const tensor x = matrix(2, 3, {1, 2, 3, 9, 5, 6});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::min(a, kt::axis<0>); }, {x}), {3}, {1, 2, 3});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::min(a, kt::axis<1>); }, {x}), {2}, {1, 5});
  const auto all = [](kt::var<double, n> a) { return kt::min(a); };
  check_tensor(eval(all, {vector({1, quiet_nan, 3})}), {}, {quiet_nan});
  check_tensor(eval(all, {vector({1, -inf, inf})}), {}, {-inf});
  check_tensor(eval(all, {vector({})}), {}, {inf});  // the identity
  check_tensor(eval([](kt::var<int, n> a) { return kt::min(a); }, {vector({})}), {}, {2147483647});
  check_tensor(eval([](kt::var<int, n> a) { return kt::min(a); }, {vector({2, 3})}), {}, {2});
}

TEST_CASE("min: gradient, which all ties receive") {
  using namespace test;
  check_grad([](kt::var<double, n, m> a) { return kt::min(a, kt::axis<1>); }, {matrix(2, 3, {1, 2, 3, 9, 5, 6})});
  check_tensor(eval([](kt::var<double, n> a) { return kt::grad(kt::min(a), a); }, {vector({3, 1, 3})}), {3}, {0, 1, 0});
  const auto slope = [](kt::var<double, n> a) { return kt::grad(kt::exp(kt::min(a)), a); };
  check_grad(slope, {vector({3, 1, 2})});
}
