// A recurrent network unrolled over 100 steps, trained by gradient descent: what a deep graph costs the compiler.
#include <kroton/kroton.hpp>

#include <cmath>
#include <cstdio>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;
constexpr int inputs = 8, width = 64, length = 100;

struct rnn : kt::model {
  kt::shared<float, inputs, width> in{this, "in", kt::init::glorot_uniform};
  kt::shared<float, width, width> again{this, "again", kt::init::glorot_uniform};
  kt::shared<float, width> bias{this, "bias"};
  kt::shared<float, width, inputs> out{this, "out", kt::init::glorot_uniform};
  kt::shared<float, inputs> out_bias{this, "out_bias"};

  constexpr auto train(kt::var<float, length, batch, inputs> signal, kt::var<float, length, batch, inputs> next,
                       kt::var<float, batch, width> start, kt::var<float> rate) const {
    kt::var<float, batch, width> state = start;
    kt::var<float> total = kt::sum(kt::sqr(bias)) * 1e-4;
    for (int t = 0; t < length; ++t) {
      const auto now = kt::reshape<batch, inputs>(signal[kt::rows(t, t + 1)]),
                 wanted = kt::reshape<batch, inputs>(next[kt::rows(t, t + 1)]);
      state = kt::tanh(kt::dot(now, in) + kt::dot(state, again) + bias);
      total = total + kt::mean(kt::sqr(kt::dot(state, out) + out_bias - wanted));
    }
    const auto cost = total / length;
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), rate));
  }
};

/// Trains, and returns the last cost. It is no part of `main`, so that g++ can free the garbage of the capture before
/// it evaluates the facts.
float trained_cost() {
  kt::session<rnn> session{kt::context::best(), kt::seed{1}};
  auto train = session.compile<&rnn::train>();
  constexpr int rows = 8;
  kt::tensor<float, 3> signal({length, rows, inputs}), next({length, rows, inputs});
  for (std::size_t i = 0; i < signal.values().size(); ++i) {
    signal.values()[i] = std::sin(0.1f * static_cast<float>(i));
    next.values()[i] = std::sin(0.1f * static_cast<float>(i) + 0.1f * rows * inputs);
  }
  kt::tensor<float, 2> start({rows, width});
  for (float& each : start.values()) each = 0;
  float cost = 0;
  for (int step = 0; step < 100; ++step) cost = train(signal, next, start, 0.1f);
  return cost;
}

int main() {
  const float cost = trained_cost();
  constexpr auto facts = kt::stats<&rnn::train>();
  std::printf("%.4f after 100 steps; %d nodes of %d, %d launches, %d kernels\n", static_cast<double>(cost),
              facts.nodes_after, facts.nodes_before, facts.launches, facts.kernels);
}
