#include "../../support.hpp"

TEST_CASE("sum") {
  using namespace test;
  const tensor x = matrix(2, 3, {1, 2, 3, 4, 5, 60});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::sum(a); }, {x}), {}, {75});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::sum(a, kt::axis<0>); }, {x}), {3}, {5, 7, 63});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::sum(a, kt::axis<-1>); }, {x}), {2}, {6, 69});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::sum(a, kt::axis<1>, kt::keep_dims); }, {x}), {2, 1},
               {6, 69});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::sum(a, kt::axis<0, 1>, kt::keep_dims); }, {x}), {1, 1},
               {75});
  const auto outer = [](kt::var<double, n, m, 2> a) { return kt::sum(a, kt::axis<0, 2>); };
  check_tensor(eval(outer, {{{2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}}), {3}, {18, 26, 34});
}

TEST_CASE("sum of extremes, of nothing, of scalars and of narrow integers") {
  using namespace test;
  const auto total = [](kt::var<double, n> a) { return kt::sum(a); };
  check_tensor(eval(total, {vector({})}), {}, {0});
  check_tensor(eval(total, {vector({1, inf})}), {}, {inf});
  check_tensor(eval(total, {vector({-inf, inf})}), {}, {quiet_nan});
  check_tensor(eval(total, {vector({1, quiet_nan})}), {}, {quiet_nan});
  check_tensor(eval([](kt::var<double> a) { return kt::sum(a); }, {scalar(3)}), {}, {3});
  check_tensor(eval([](kt::var<std::int8_t, n> a) { return kt::sum(a); }, {vector({100, 100, 100})}), {}, {300});
  check_tensor(eval([](kt::var<int, n> a) { return kt::sum(a); }, {vector({2e9, 2e9, -1})}), {}, {3999999999});
  check_tensor(eval([](kt::var<double, n, 0> a) { return kt::sum(a, kt::axis<1>); }, {matrix(2, 0, {})}), {2}, {0, 0});
}

TEST_CASE("sum: gradient") {
  using namespace test;
  const tensor x = matrix(2, 3, {1, 2, 3, 4, 5, 6});
  check_grad([](kt::var<double, n, m> a) { return kt::sum(a); }, {x});
  check_grad([](kt::var<double, n, m> a) { return kt::sqr(kt::sum(a, kt::axis<0>)); }, {x});
  check_grad([](kt::var<double, n, m> a) { return a / kt::sum(a, kt::axis<1>, kt::keep_dims); }, {x});
  check_grad([](kt::var<double, n, m> a) { return kt::grad(kt::sum(kt::sqr(kt::sum(a, kt::axis<0>))), a); }, {x});
}
