#include "../../support.hpp"

#include <kroton/nn/gelu.hpp>

TEST_CASE("gelu_tanh") {
  using namespace test;
  const tensor some = vector({-3, -0.75, -0.3, 0, 0.7, 2, 5, quiet_nan});
  numbers expected;
  for (double v : some.values)
    expected.push_back(0.5 * v * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v))));
  check_values(eval([](kt::var<double, n> x) { return kt::nn::gelu_tanh(x); }, {some}), expected);
  check_tensor(
      eval([](kt::var<double, n> x) { return kt::nn::gelu_tanh(x); }, {vector({-inf, -1e200, -10, 10, 1e200, inf})}),
      {6}, {-0.0, -0.0, -1.2040923482098023e-37, 10, 1e200, inf});
  const tensor x = vector({-3, -0.75, -0.3, 0, 0.7, 2});
  check_grad([](kt::var<double, n> a) { return kt::nn::gelu_tanh(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::nn::gelu_tanh(a)), a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::grad(kt::sum(kt::nn::gelu_tanh(a)), a)), a); },
             {x});
  const tensor far = vector({-inf, -1e200, -50, 50, 1e200, inf});
  check_tensor(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::nn::gelu_tanh(a)), a); }, {far}), {6},
               {0, 0, 0, 1, 1, 1});
  check_tensor(
      eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::grad(kt::sum(kt::nn::gelu_tanh(a)), a)), a); },
           {far}),
      {6}, {-0.0, -0.0, -0.0, -0.0, -0.0, -0.0});
}
