#include "../../support.hpp"

TEST_CASE("exp") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::exp(x); }, std::exp);
  const tensor x = vector({-2, -0.3, 0, 0.7, 3});
  check_grad([](kt::var<double, n> a) { return kt::exp(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::exp(a)), a); }, {x});
  // the derivative is the value, also where it is infinite
  check_tensor(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::exp(a)), a); }, {vector({-800, 800})}), {2},
               {0, inf});
}
