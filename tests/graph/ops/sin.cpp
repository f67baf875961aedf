#include "../../support.hpp"

TEST_CASE("sin") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::sin(x); }, std::sin);
  const tensor x = vector({-2, -0.3, 0, 0.7, 3});
  check_grad([](kt::var<double, n> a) { return kt::sin(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::sin(a)), a); }, {x});
}
