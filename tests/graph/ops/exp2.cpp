#include "../../support.hpp"

TEST_CASE("exp2") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::exp2(x); }, std::exp2);
  const tensor x = vector({-2, -0.3, 0, 0.7, 3});
  check_grad([](kt::var<double, n> a) { return kt::exp2(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::exp2(a)), a); }, {x});
}
