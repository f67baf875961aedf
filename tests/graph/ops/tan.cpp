#include "../../support.hpp"

TEST_CASE("tan") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::tan(x); }, std::tan);
  const tensor x = vector({-1, -0.3, 0, 0.7, 1.2});
  check_grad([](kt::var<double, n> a) { return kt::tan(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::tan(a)), a); }, {x});
}
