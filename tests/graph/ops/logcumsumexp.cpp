#include "../../support.hpp"

TEST_CASE("logcumsumexp") {
  using namespace test;
  const auto sums = [](kt::var<double, n> a) { return kt::logcumsumexp(a); };
  check_tensor(eval(sums, {vector({})}), {0}, {});
  check_values(eval(sums, {vector({0, 1000, -1000, 1000})}), {0, 1000, 1000, 1000 + std::log(2.0)});
  check_values(eval(sums, {vector({-inf, -inf, 1, inf, inf, quiet_nan})}), {-inf, -inf, 1, inf, inf, quiet_nan});
  check_values(
      eval([](kt::var<double, n, m> a) { return kt::logcumsumexp(a, kt::axis<0>); }, {matrix(2, 2, {0, 1, 0, 1})}),
      {0, 1, std::log(2.0), 1 + std::log(2.0)});
}

TEST_CASE("logcumsumexp: gradient") {
  using namespace test;
  check_grad([](kt::var<double, n, m> a) { return kt::logcumsumexp(a, kt::axis<1>) * kt::sin(a * 7); },
             {matrix(2, 4, {1, 2, -3, 4, 5, 6, 30, -20})});
  check_grad([](kt::var<double, n> a) { return kt::sqr(kt::logcumsumexp(a)); }, {vector({1, -2, 3})});
}
