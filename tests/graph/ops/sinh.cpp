#include "../../support.hpp"

TEST_CASE("sinh") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::sinh(x); }, std::sinh);
  const tensor x = vector({-2, -0.3, 0, 0.7, 3});
  check_grad([](kt::var<double, n> a) { return kt::sinh(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::sinh(a)), a); }, {x});
}
