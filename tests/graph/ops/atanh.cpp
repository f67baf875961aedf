#include "../../support.hpp"

TEST_CASE("atanh") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::atanh(x); }, std::atanh);
  const tensor x = vector({-0.7, -0.3, 0, 0.8});
  check_grad([](kt::var<double, n> a) { return kt::atanh(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::atanh(a)), a); }, {x});
}
