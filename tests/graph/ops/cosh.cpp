#include "../../support.hpp"

TEST_CASE("cosh") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::cosh(x); }, std::cosh);
  const tensor x = vector({-2, -0.3, 0, 0.7, 3});
  check_grad([](kt::var<double, n> a) { return kt::cosh(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::cosh(a)), a); }, {x});
}
