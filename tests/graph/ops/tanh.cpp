#include "../../support.hpp"

TEST_CASE("tanh") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::tanh(x); }, std::tanh);
  const tensor x = vector({-2, -0.3, 0, 0.7, 3});
  check_grad([](kt::var<double, n> a) { return kt::tanh(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::tanh(a)), a); }, {x});
  check_tensor(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::tanh(a)), a); }, {vector({-800, 800})}), {2},
               {0, 0});
}
