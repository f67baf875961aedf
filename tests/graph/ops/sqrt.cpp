#include "../../support.hpp"

TEST_CASE("sqrt") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::sqrt(x); }, std::sqrt);
  const tensor x = vector({0.3, 1, 2.5, 7});
  check_grad([](kt::var<double, n> a) { return kt::sqrt(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::sqrt(a)), a); }, {x});
  check_tensor(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::sqrt(a)), a); }, {vector({0, 4, -1})}), {3},
               {inf, 0.25, quiet_nan});
}
