// LAYERS equal layers one after the other, and a step of gradient descent: many nodes, few kernels.
#include <kroton/kroton.hpp>

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  using kt::model::model;
  kt::shared<float, 32, 32> w{this, "w", kt::init::glorot_uniform};
  kt::shared<float, 32> b{this, "b"};

  constexpr auto operator()(kt::var<float, batch, 32> x) const { return x + kt::relu(kt::dot(x, w) + b); }
};

struct network : kt::model {
  kt::stack<layer, LAYERS> layers{this, "layers"};

  constexpr auto train(kt::var<float, batch, 32> x, kt::var<float> rate) const {
    kt::var<float, batch, 32> h = x;
    for (const layer& next : layers) h = next(h);
    auto cost = kt::mean(kt::sqr(h));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), rate));
  }
};

#ifdef PRINT_NODES  // a program that says what was compiled
#include <cstdio>

int main() {
  constexpr auto made = kt::stats<&network::train>();
  std::printf("%d %d %d\n", made.nodes_after, made.launches, made.kernels);
}
#else
static_assert(kt::stats<&network::train>().nodes_after == NODES);

float learn(kt::session<network>& session, const kt::tensor<float, 2>& x) {
  auto train = session.compile<&network::train>();
  return train(x, 0.1f);
}
#endif
