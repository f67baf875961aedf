// Products on a device that sum their second factor: that of a weight's gradient computes the gradient of the bias.
#include "ended_products.hpp"

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

/// Two layers, with weights (inputs, outputs), or (outputs, inputs) as PyTorch has them. The last has no function that
/// an epilogue knows.
template <bool IsTransposed>
struct layers : kt::model {
  kt::shared<float, IsTransposed ? 33 : 9, IsTransposed ? 9 : 33> W1{this, "W1", kt::init::uniform(-0.5, 0.5)};
  kt::shared<float, 33> b1{this, "b1", kt::init::uniform(-0.5, 0.5)};
  kt::shared<float, IsTransposed ? 5 : 33, IsTransposed ? 33 : 5> W2{this, "W2", kt::init::uniform(-0.5, 0.5)};
  kt::shared<float, 5> b2{this, "b2", kt::init::uniform(-0.5, 0.5)};
  kt::optim::adamw adamw{this};

  static constexpr auto linear(const auto& x, const auto& W, const auto& b) {
    if constexpr (IsTransposed) return kt::dot(x, kt::transpose(W)) + b;
    else return kt::dot(x, W) + b;
  }
  constexpr auto cost(kt::var<float, batch, 9> x, kt::var<float, batch, 5> y) const {
    return kt::sum(kt::sqr(kt::sin(linear(kt::tanh(linear(x, W1, b1)), W2, b2)) - y));
  }
  constexpr auto train(kt::var<float, batch, 9> x, kt::var<float, batch, 5> y) const {
    auto c = cost(x, y);
    return kt::outputs(c).updates(kt::optim::sgd(c, parameters(), 1e-2F));
  }
  constexpr auto train_adamw(kt::var<float, batch, 9> x, kt::var<float, batch, 5> y) const {
    auto c = cost(x, y);
    return kt::outputs(c).updates(adamw(c, parameters(), 1e-2F));
  }
  constexpr auto gradients(kt::var<float, batch, 9> x, kt::var<float, batch, 5> y) const {
    auto c = cost(x, y);
    return kt::outputs(c, kt::grad(c, W2), 2 * kt::grad(c, b2));
  }
};

template <bool IsTransposed>
void check_layers() {
  using model = layers<IsTransposed>;
  const kt::context where = device(2);
  for (const bool can : {true, false}) {
    CAPTURE(can);
    let_products_end(where, can);
    kt::session<model> session(where, kt::seed{8});
    auto train = compile<&model::train>(session);
    auto train_adamw = compile<&model::train_adamw>(session);
    auto gradients = compile<&model::gradients>(session);
    for (const std::int64_t n : {0, 1, 7, 40, 7}) {
      CAPTURE(n);
      auto x = random<float, 2>({n, 9}, static_cast<unsigned>(n));
      const auto y = random<float, 2>({n, 5}, 3);
      const int sums = can && n > 0 ? 1 : 0;
      const auto check_sums = [&](auto& f) {
        const ended_products before = ended_of(where, {});
        check_call(f, x, y);
        CHECK((ended_of(where, {0, 0, sums}) - before).sums == sums);
      };
      check_sums(train);
      check_sums(train_adamw);
      if (n == 40) x(7, 3) = NAN, x(8, 1) = INFINITY;
      check_sums(gradients);
    }
  }
  let_products_end(where, true);
}

}  // namespace

TEST_CASE("device: the product of a weight's gradient sums that of the bias") {
  check_layers<false>();
  check_layers<true>();
}
