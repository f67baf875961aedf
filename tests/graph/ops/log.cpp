#include "../../support.hpp"

TEST_CASE("log") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::log(x); }, std::log);
  const tensor x = vector({0.3, 1, 2.5, 7});
  check_grad([](kt::var<double, n> a) { return kt::log(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::log(a)), a); }, {x});
}
