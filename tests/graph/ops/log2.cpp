#include "../../support.hpp"

TEST_CASE("log2") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::log2(x); }, std::log2);
  const tensor x = vector({0.3, 1, 2.5, 7});
  check_grad([](kt::var<double, n> a) { return kt::log2(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::log2(a)), a); }, {x});
}
