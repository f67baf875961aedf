#include "../../support.hpp"

TEST_CASE("log10") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::log10(x); }, std::log10);
  const tensor x = vector({0.3, 1, 2.5, 7});
  check_grad([](kt::var<double, n> a) { return kt::log10(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::log10(a)), a); }, {x});
}
