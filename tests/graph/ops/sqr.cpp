#include "../../support.hpp"

TEST_CASE("sqr") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::sqr(x); }, [](double v) { return v * v; });
  const tensor x = vector({-2, -0.3, 0, 0.7, 3});
  check_grad([](kt::var<double, n> a) { return kt::sqr(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::sqr(a)), a); }, {x});
  check_tensor(eval([](kt::var<int, n> a) { return kt::sqr(a); }, {vector({-3, 0, 7, 65536})}), {4},
               {9, 0, 49, 0});  // wraps
}
