// The model of examples/digits and its two functions, as a program that uses them compiles them.
#include <kroton/kroton.hpp>

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;

struct digits : kt::model {
  kt::shared<float, 64, 128> W1{this, "W1", kt::init::glorot_uniform};
  kt::shared<float, 128> b1{this, "b1"};
  kt::shared<float, 128, 10> W2{this, "W2", kt::init::glorot_uniform};
  kt::shared<float, 10> b2{this, "b2"};

  constexpr auto logits(kt::var<float, batch, 64> x) const { return kt::dot(kt::relu(kt::dot(x, W1) + b1), W2) + b2; }
  constexpr auto train(kt::var<float, batch, 64> x, kt::var<int, batch> label, kt::var<float> rate) const {
    auto cost = kt::mean(kt::nn::cross_entropy(logits(x), label));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), rate));
  }
  constexpr auto predict(kt::var<float, batch, 64> x) const { return kt::argmax(logits(x), kt::axis<1>); }
};

float learn(kt::session<digits>& session, const kt::tensor<float, 2>& x, const kt::tensor<int, 1>& label) {
  auto train = session.compile<&digits::train>();
  return train(x, label, 0.1f);
}
kt::tensor<std::int64_t, 1> read(kt::session<digits>& session, const kt::tensor<float, 2>& x) {
  auto predict = session.compile<&digits::predict>();
  return predict(x);
}
