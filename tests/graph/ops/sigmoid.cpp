#include "../../support.hpp"

TEST_CASE("sigmoid") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::sigmoid(x); }, [](double v) { return 1 / (1 + std::exp(-v)); });
  const tensor x = vector({-2, -0.3, 0, 0.7, 3});
  check_grad([](kt::var<double, n> a) { return kt::sigmoid(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::sigmoid(a)), a); }, {x});
  // small results on the left keep their accuracy
  check_tensor(eval([](kt::var<double, n> a) { return kt::sigmoid(a); }, {vector({-700})}), {1}, {std::exp(-700.0)});
  check_tensor(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::sigmoid(a)), a); }, {vector({-800, 800})}),
               {2}, {0, 0});
}
