#include "../../support.hpp"

TEST_CASE("acosh") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::acosh(x); }, std::acosh);
  const tensor x = vector({1.3, 1.7, 3});
  check_grad([](kt::var<double, n> a) { return kt::acosh(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::acosh(a)), a); }, {x});
}
