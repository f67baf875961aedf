#include "../../support.hpp"

TEST_CASE("acos") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::acos(x); }, std::acos);
  const tensor x = vector({-0.7, -0.3, 0, 0.8});
  check_grad([](kt::var<double, n> a) { return kt::acos(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::acos(a)), a); }, {x});
}
