#include "../../support.hpp"

TEST_CASE("log1p") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::log1p(x); }, std::log1p);
  const tensor x = vector({-0.6, 0, 0.3, 2.5, 7});
  check_grad([](kt::var<double, n> a) { return kt::log1p(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::log1p(a)), a); }, {x});
}
