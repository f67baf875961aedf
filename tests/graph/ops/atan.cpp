#include "../../support.hpp"

TEST_CASE("atan") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::atan(x); }, std::atan);
  const tensor x = vector({-2, -0.3, 0, 0.7, 3});
  check_grad([](kt::var<double, n> a) { return kt::atan(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::atan(a)), a); }, {x});
}
