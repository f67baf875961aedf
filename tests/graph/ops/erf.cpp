#include "../../support.hpp"

TEST_CASE("erf") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::erf(x); }, std::erf);
  const tensor x = vector({-2, -0.3, 0, 0.7, 2});
  check_grad([](kt::var<double, n> a) { return kt::erf(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::erf(a)), a); }, {x});
}
