// Products on a device that take over the gradient of gelu_tanh, and sums of products of which one takes over a
// gradient.
#include "ended_products.hpp"

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

struct smooth : kt::model {
  kt::shared<float, 9, 40> W1{this, "W1", kt::init::uniform(-0.3, 0.3)};
  kt::shared<float, 40> b1{this, "b1", kt::init::uniform(-0.3, 0.3)};
  kt::shared<float, 40, 24> W2{this, "W2", kt::init::uniform(-0.3, 0.3)};
  kt::shared<float, 24, 4> W3{this, "W3", kt::init::uniform(-1, 1)};
  constexpr auto output(kt::var<float, batch, 9> x) const {
    return kt::dot(kt::nn::gelu_tanh(kt::dot(kt::nn::gelu_tanh(kt::dot(x, W1) + b1), W2)), W3);
  }
  constexpr auto train(kt::var<float, batch, 9> x, kt::var<float> rate) const {
    auto c = kt::sum(kt::sqr(output(x)));
    return kt::outputs(c).updates(kt::optim::sgd(c, parameters(), rate));
  }
  /// The derivative is wanted itself, or by more than one.
  constexpr auto derivative(kt::var<float, batch, 9> x) const {
    auto z = kt::dot(x, W1) + b1;
    return kt::outputs(kt::nn::gelu_tanh(z), kt::grad(kt::sum(kt::nn::gelu_tanh(z)), z));
  }
  constexpr auto second(kt::var<float, batch, 9> x) const {
    auto h = kt::nn::gelu_tanh(kt::dot(x, W1) + b1);
    return kt::grad(kt::sum(kt::sqr(kt::grad(kt::sum(kt::sqr(kt::dot(h, W2))), W1))), b1);
  }
};
template <bool IsSmooth>
struct branching : kt::model {
  kt::shared<float, 9, 40> W1{this, "W1", kt::init::uniform(-0.3, 0.3)};
  kt::shared<float, 40> b1{this, "b1", kt::init::uniform(-0.3, 0.3)};
  kt::shared<float, 40, 40> W2{this, "W2", kt::init::uniform(-0.3, 0.3)};
  kt::shared<float, 40, 40> W3{this, "W3", kt::init::uniform(-0.3, 0.3)};
  kt::shared<float, 40, 40> W4{this, "W4", kt::init::uniform(-0.3, 0.3)};
  static constexpr auto activate(const auto& x) {
    if constexpr (IsSmooth) return kt::nn::gelu_tanh(x);
    else return kt::relu(x);
  }
  constexpr auto train(kt::var<float, batch, 9> x, kt::var<float> rate) const {
    auto h = activate(kt::dot(x, W1) + b1);
    auto c = kt::sum(kt::tanh(kt::dot(h, W2)) * kt::dot(h, W3) + kt::sqr(kt::dot(h, W4)));
    return kt::outputs(c).updates(kt::optim::sgd(c, parameters(), rate));
  }
};
template <bool IsSmooth>
void check_branching() {
  const kt::context where = device(1);
  const ended_products before = ended_of(where, {});
  kt::session<branching<IsSmooth>> session(where, kt::seed{9});
  auto train = compile<&branching<IsSmooth>::train>(session);
  for (const std::int64_t n : {0, 1, 7, 40, 7})
    check_call(train, random<float, 2>({n, 9}, static_cast<unsigned>(n)), 1e-3F);
  CHECK(ended_of(where, {4, 4}) - before == ended_products{4, 4});
}
TEST_CASE("device: the last of several products that are added has the gradient of a function") {
  check_branching<false>();
  check_branching<true>();
}

TEST_CASE("device: products take over gelu_tanh, its gradient and the sums for the bias") {
  const kt::context where = device(1);
  for (const bool can : {true, false}) {
    let_products_end(where, can);
    const ended_products before = ended_of(where, {});
    kt::session<smooth> session(where, kt::seed{8});
    auto output = compile<&smooth::output>(session);
    auto train = compile<&smooth::train>(session);
    for (const std::int64_t n : {0, 1, 7, 40, 7}) {
      auto x = random<float, 2>({n, 9}, static_cast<unsigned>(n));
      check_call(train, x, 1e-4F);
      check_call(output, x);
    }
    const int calls = can ? 4 : 0;  // with elements
    CHECK(ended_of(where, {4 * calls, 2 * calls}) - before == ended_products{4 * calls, 2 * calls});
    auto derivative = compile<&smooth::derivative>(session);
    auto second = compile<&smooth::second>(session);
    check_call(derivative, random<float, 2>({7, 9}, 1));
    check_call(second, random<float, 2>({7, 9}, 1));
    auto x = random<float, 2>({7, 9}, 1);
    x(5, 3) = NAN, x(6, 1) = INFINITY;
    check_call(output, x);
  }
  let_products_end(where, true);
}

}  // namespace
