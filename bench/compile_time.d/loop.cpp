// A recurrent network as a loop of STEPS iterations, with its gradients: a body is compiled once.
#include <kroton/kroton.hpp>

#include <cstdio>

#ifndef STEPS
#define STEPS 1000
#endif

namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;
constexpr int inputs = 64, width = 128;

int main() {
  auto train = kt::function([](kt::var<float, STEPS, batch, inputs> x, kt::var<float, inputs, width> W,
                               kt::var<float, width, width> U, kt::var<float, width> b,
                               kt::var<float, batch, width> begin) {
    const auto h = kt::scan([&](auto row, auto before) { return kt::tanh(kt::dot(row, W) + kt::dot(before, U) + b); },
                            kt::sequences(x), kt::carried(begin));
    const auto cost = kt::sum(kt::sqr(h.last));
    return kt::outputs(cost, kt::grad(cost, W), kt::grad(cost, U), kt::grad(cost, b));
  });
  const kt::tensor<float, 3> x({STEPS, 8, inputs});
  const kt::tensor<float, 2> W({inputs, width}), U({width, width}), begin({8, width});
  const auto results = train(x, W, U, kt::tensor<float, 1>({width}), begin);
  std::printf("%g\n", static_cast<double>(static_cast<float>(std::get<0>(results))));
}
