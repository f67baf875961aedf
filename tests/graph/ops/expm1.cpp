#include "../../support.hpp"

TEST_CASE("expm1") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::expm1(x); }, std::expm1);
  const tensor x = vector({-2, -0.3, 0, 0.7, 3});
  check_grad([](kt::var<double, n> a) { return kt::expm1(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::expm1(a)), a); }, {x});
}
