// expect: kroton: the extents of the operands do not match
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct digits : kt::model {
  kt::shared<float, 64, 10> W{this, "W"};
  kt::shared<float, 9> b{this, "b"};
  constexpr auto train(kt::var<float, batch, 64> x, kt::var<int, batch> label) const {
    auto z = kt::dot(x, W) + b;  // <- here
    auto cost = kt::mean(kt::nn::cross_entropy(z, label));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), 0.1F));
  }
};
float run(const kt::tensor<float, 2>& x, const std::vector<int>& label) {
  kt::session<digits> session;
  auto train = session.compile<&digits::train>();
  return train(x, label);
}
