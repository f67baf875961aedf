// A program that trains, whole and in pieces, and looks into nothing: derivatives and rewrites are the compiler's, and
// are not in it.
#include <kroton/kroton.hpp>

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;

struct model : kt::model {
  kt::shared<float, 8, 4> w{this, "w", kt::init::glorot_uniform};
  constexpr auto train(kt::var<float, batch, 8> x, kt::var<int, batch> label) const {
    auto cost = kt::mean(kt::nn::cross_entropy(kt::tanh(kt::dot(x, w)), label));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), 0.1));
  }
};

int main() {
  kt::session<model> session;
  auto train = session.compile<&model::train>();
  auto pieces = kt::chunked<batch>(train, 2);
  const kt::tensor<float, 2> x({3, 8}, std::vector<float>(24, 0.5F));
  const std::vector<int> labels{0, 1, 2};
  const float whole = train(x, labels), again = pieces(x, labels);
  return train.memory_plan(batch(3)).peak > 0 && again < whole ? 0 : 1;
}
