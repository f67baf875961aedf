// Products on a device that take over the gradient of relu.
#include "ended_products.hpp"

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

struct deep : kt::model {
  kt::shared<float, 9, 140> W1{this, "W1", kt::init::uniform(-0.2, 0.2)};
  kt::shared<float, 140> b1{this, "b1", kt::init::uniform(-0.2, 0.2)};
  kt::shared<float, 140, 33> W2{this, "W2", kt::init::uniform(-0.2, 0.2)};
  kt::shared<float, 33, 130> W3{this, "W3", kt::init::uniform(-0.2, 0.2)};
  kt::shared<float, 130, 4> W4{this, "W4", kt::init::uniform(-0.2, 0.2)};
  constexpr auto cost(kt::var<float, batch, 9> x) const {
    return kt::sum(kt::sqr(kt::dot(kt::relu(kt::dot(kt::relu(kt::dot(kt::relu(kt::dot(x, W1) + b1), W2)), W3)), W4)));
  }
  constexpr auto train(kt::var<float, batch, 9> x, kt::var<float> rate) const {
    auto c = cost(x);
    return kt::outputs(c).updates(kt::optim::sgd(c, parameters(), rate));
  }
  /// What is behind relu is wanted too, or only its gradient.
  constexpr auto gradients(kt::var<float, batch, 9> x) const {
    auto z = kt::dot(x, W1), h = kt::relu(z + b1);
    auto c = kt::sum(kt::sqr(kt::dot(h, W2)));
    return kt::outputs(kt::grad(c, W1), kt::grad(c, b1), h);
  }
  constexpr auto of_bias(kt::var<float, batch, 9> x) const {
    return kt::grad(kt::sum(kt::sqr(kt::dot(kt::relu(kt::dot(x, W1) + b1), W2))), b1);
  }
};
TEST_CASE("device: products take over the gradient of relu and the sums for the bias") {
  const kt::context where = device(1);
  for (const bool can : {true, false}) {
    let_products_end(where, can);
    const ended_products before = ended_of(where, {});
    kt::session<deep> session(where, kt::seed{8});
    auto train = compile<&deep::train>(session);
    auto gradients = compile<&deep::gradients>(session);
    auto of_bias = compile<&deep::of_bias>(session);
    for (const std::int64_t n : {0, 1, 7, 40, 7}) {
      auto x = random<float, 2>({n, 9}, static_cast<unsigned>(n));
      check_call(train, x, 1e-4F);
      if (n == 40) x(7, 3) = NAN, x(8, 1) = INFINITY;
      check_call(gradients, x);
      check_call(of_bias, x);
    }
    const int calls = can ? 4 : 0;  // with elements
    CHECK(ended_of(where, {5 * calls, 5 * calls}) - before == ended_products{5 * calls, 5 * calls});
    if (is_simulated) CHECK(train.memory_plan(batch(7)).buffers.back().bytes >= (can ? 7 * 32 : 0));
  }
  let_products_end(where, true);
}

}  // namespace
