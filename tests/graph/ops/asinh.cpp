#include "../../support.hpp"

TEST_CASE("asinh") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::asinh(x); }, std::asinh);
  const tensor x = vector({-2, -0.3, 0, 0.7, 3});
  check_grad([](kt::var<double, n> a) { return kt::asinh(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::asinh(a)), a); }, {x});
}
