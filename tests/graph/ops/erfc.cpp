#include "../../support.hpp"

TEST_CASE("erfc") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::erfc(x); }, std::erfc);
  const tensor x = vector({-2, -0.3, 0, 0.7, 2});
  check_grad([](kt::var<double, n> a) { return kt::erfc(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::erfc(a)), a); }, {x});
}
