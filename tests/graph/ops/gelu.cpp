#include "../../support.hpp"

#include <kroton/nn/gelu.hpp>

TEST_CASE("gelu") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::nn::gelu(x); },
              [](double v) { return v == -inf ? -0.0 : 0.5 * v * std::erfc(-v / std::sqrt(2.0)); });
  const tensor x = vector({-3, -0.75, -0.3, 0, 0.7, 2});
  check_grad([](kt::var<double, n> a) { return kt::nn::gelu(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::nn::gelu(a)), a); }, {x});
  check_tensor(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::nn::gelu(a)), a); },
                    {vector({-inf, -1e200, -50, 50, 1e200, inf})}),
               {6}, {0, 0, 0, 1, 1, 1});
}
