// Steps of training that are divided along a dimension: the same as whole, in less memory.
// alone: gradients in pieces take long to compile
#include "../sanitized.hpp"
#include "chunked.hpp"

using namespace test;

namespace {

struct network : kt::model {
  kt::shared<float, 20, 64> W1{this, "W1", kt::init::glorot_uniform};
  kt::shared<float, 64> b1{this, "b1"};
  kt::shared<float, 64, 4> W2{this, "W2", kt::init::glorot_uniform};
  kt::shared<float, 4> b2{this, "b2"};
  kt::shared<float, 20, 64> speed{this, "speed"};
  constexpr auto logits(kt::var<float, batch, 20> x) const { return kt::dot(kt::tanh(kt::dot(x, W1) + b1), W2) + b2; }
  constexpr auto train(kt::var<float, batch, 20> x, kt::var<int, batch> label, kt::var<float> rate) const {
    auto costs = kt::nn::cross_entropy(logits(x), label);
    auto cost = kt::mean(costs);
    // momentum, and a step that depends on the length of the gradient: after the sum over the batch anything may follow
    auto slope = kt::grad(cost, W1);
    auto length = kt::sqrt(kt::sum(kt::sqr(slope)));
    auto moved = 0.9 * speed + slope / (1 + length);
    return kt::outputs(cost, costs, length)
        .updates(kt::update(speed, moved), kt::update(W1, W1 - rate * moved),
                 kt::update(b1, b1 - rate * kt::grad(cost, b1)), kt::update(W2, W2 - rate * kt::grad(cost, W2)),
                 kt::update(b2, b2 - rate * kt::grad(cost, b2)));
  }
};

TEST_CASE("chunked: a training step in as many pieces as a budget needs, beside the session's own memory") {
  const std::int64_t n = 300, budget = 60000;
  const std::vector<float> x = ramp<float>(static_cast<std::size_t>(n) * 20);
  const std::vector<int> labels(static_cast<std::size_t>(n), 2);
  const kt::context small = kt::context::host(1).with_budget(budget);
  kt::session<network> one(kt::context::host(1), kt::seed{4}), two(small, kt::seed{4});
  auto whole = one.compile<&network::train>();
  auto part_of = two.compile<&network::train>();
  CHECK_THROWS_AS(part_of(kt::view(x.data(), {n, 20}), labels, 0.25F), kt::memory_error);
  auto pieces = kt::chunked<batch>(part_of, kt::fit_budget);
  for (int step = 0; step < 5; ++step) compare(whole, pieces, 2e-5, kt::view(x.data(), {n, 20}), labels, 0.25F);
  CHECK(pieces.piece() > 1);
  CHECK(pieces.piece() < n);
  CHECK(small.memory().peak <= budget);
  const auto expected = one.values<&network::W1>(), found = two.values<&network::W1>();
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-3));
}

TEST_CASE("chunked: a training step in pieces makes the same step in less memory") {
  const std::int64_t n = 300;
  const std::vector<float> x = ramp<float>(static_cast<std::size_t>(n) * 20);
  std::vector<int> labels(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int>(i * 5 % 4);
  const kt::context where = kt::context::host(1), other = kt::context::host(1);
  kt::session<network> one(where, kt::seed{4}), two(other, kt::seed{4});
  auto whole = one.compile<&network::train>();
  auto part_of = two.compile<&network::train>();
  auto pieces = kt::chunked<batch>(part_of, 32);
  for (int step = 0; step < 5; ++step) compare(whole, pieces, 2e-5, kt::view(x.data(), {n, 20}), labels, 0.25F);
  const auto expected = one.values<&network::W1>(), found = two.values<&network::W1>();
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-3));
  const auto temporaries = [](const kt::context& c, const kt::session<network>&) { return c.memory().peak; };
  CHECK(temporaries(other, two) < temporaries(where, one) * 2 / 3);
  std::vector<int> wrong = labels;
  wrong[250] = 4;  // in a late piece
  const std::vector<float> before(found.begin(), found.end());
  CHECK_THROWS_AS(pieces(kt::view(x.data(), {n, 20}), wrong, 0.25F), kt::index_error);
  CHECK(std::equal(found.begin(), found.end(), before.begin()));
}

struct narrow : kt::model {
  kt::shared<kt::bfloat16, 4> b{this, "b", kt::init::constant(1)};
  constexpr auto step(kt::var<kt::bfloat16, batch, 4> x) const {
    auto c = kt::mean(kt::sqr(x - b));
    return kt::outputs(c).updates(kt::update(b, b - kt::cast<kt::bfloat16>(0.5F * kt::cast<float>(kt::grad(c, b)))));
  }
};
template <class T>
kt::tensor<T, 1> filled(std::int64_t count, float value) {
  kt::tensor<T, 1> x({count});
  for (T& element : x) element = T(value);
  return x;
}
TEST_CASE("chunked: sums of many pieces are not rounded one by one") {
  const auto means = []<class T>(T) {
    return kt::function([](kt::var<T, batch> x) {
      return kt::outputs(kt::mean(x), kt::sum(x), kt::sum(x) * 0.5F, kt::sum(kt::cast<float>(x)), kt::sum(x) > 3);
    });
  };
  auto of_half = means(kt::half());
  for (const std::int64_t size : {10, 1000}) {
    auto pieces = kt::chunked<batch>(of_half, size);
    compare(of_half, pieces, 1e-3, filled<kt::half>(50000, 0.1F));
    compare(of_half, pieces, 1e-3,
            filled<kt::half>(100000, 1));  // the sum is more than 16 bits hold, the mean and half the sum are not
  }
  auto of_bfloat16 = means(kt::bfloat16());
  auto pieces = kt::chunked<batch>(of_bfloat16, 64);
  compare(of_bfloat16, pieces, 1e-2, filled<kt::bfloat16>(65536, 1));
  auto of_float = means(float());
  auto ones = kt::chunked<batch>(of_float, 1), tenths = kt::chunked<batch>(of_float, 16);
  compare(of_float, ones, 1e-5, filled<float>(test::drawn(1 << 17), 0.1F));
  compare(of_float, tenths, 1e-5, filled<float>(test::drawn(1 << 20), 0.1F));
  kt::session<narrow> one, two;
  auto whole = one.compile<&narrow::step>();
  auto part_of = two.compile<&narrow::step>();
  auto steps = kt::chunked<batch>(part_of, 32);
  kt::tensor<kt::bfloat16, 2> x({16384, 4});
  for (auto& element : x) element = kt::bfloat16(3);
  compare(whole, steps, 0, x);
  CHECK(static_cast<float>(two.get<&narrow::b>()(1)) == static_cast<float>(one.get<&narrow::b>()(1)));
}

struct base : kt::model {
  kt::shared<float, 6> W{this, "W", kt::init::ones};
  constexpr auto train(kt::var<float, batch, 6> x) const {
    auto cost = kt::mean(kt::sqr(x - W));
    return kt::outputs(cost, kt::sum(x, kt::axis<0>)).updates(kt::update(W, W - kt::grad(cost, W)));
  }
};
struct derived : base {
  kt::shared<float, 1> extra{this, "extra", kt::init::constant(77)};
};
TEST_CASE("chunked: a function that a model inherits") {
  kt::session<derived> one, two;
  auto whole = one.compile<&base::train>();
  auto part_of = two.compile<&base::train>();
  auto pieces = kt::chunked<batch>(part_of, 2);
  const std::vector<float> x = ramp<float>(30);
  for (int step = 0; step < 3; ++step) compare(whole, pieces, 1e-6, kt::view(x.data(), {5, 6}));
  CHECK(two.get<&derived::extra>()(0) == 77);
  CHECK(two.get<&derived::W>()(3) == doctest::Approx(one.get<&derived::W>()(3)).epsilon(1e-6));
}

}  // namespace
