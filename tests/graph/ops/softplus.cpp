#include "../../support.hpp"

TEST_CASE("softplus") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::softplus(x); },
              [](double v) { return v > 40 ? v : std::log1p(std::exp(v)); });
  const tensor x = vector({-2, -0.3, 0, 0.7, 3});
  check_grad([](kt::var<double, n> a) { return kt::softplus(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::softplus(a)), a); }, {x});
  check_tensor(eval([](kt::var<double, n> a) { return kt::softplus(a); }, {vector({-700})}), {1}, {std::exp(-700.0)});
  check_tensor(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::softplus(a)), a); }, {vector({-800, 800})}),
               {2}, {0, 1});
}
