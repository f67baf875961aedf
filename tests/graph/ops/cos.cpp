#include "../../support.hpp"

TEST_CASE("cos") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::cos(x); }, std::cos);
  const tensor x = vector({-2, -0.3, 0, 0.7, 3});
  check_grad([](kt::var<double, n> a) { return kt::cos(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::cos(a)), a); }, {x});
}
