#include "../../support.hpp"

TEST_CASE("asin") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::asin(x); }, std::asin);
  const tensor x = vector({-0.7, -0.3, 0, 0.8});
  check_grad([](kt::var<double, n> a) { return kt::asin(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::asin(a)), a); }, {x});
}
