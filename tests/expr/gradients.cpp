// Gradients that go on from known ones, and that leave something out.
#include <kroton/expr/gradients.hpp>

#include "../support.hpp"

using namespace test;

TEST_CASE("known_grads: gradients that begin in the middle") {
  const auto inputs = {vector({0.5, -1, 2}), vector({3, 4, 5})};
  // y = sin(x) twice: by the chain rule, cos(x) times the known gradient
  const auto f = [](kt::var<double, n> x, kt::var<double, n> g) {
    const auto y = kt::sin(x);
    return kt::outputs(kt::grad(kt::known_grads(y, g), x),
                       kt::grad(kt::sum(y * x) + kt::known_grads(y, g) + kt::known_grads(x * x, g), x),
                       kt::grad(kt::grad(kt::sum(kt::exp(y)), x)[0] + kt::known_grads(y, x * g), x));
  };
  const auto found = run(f, inputs);
  numbers first, second;
  for (const auto& [x, g] : {std::pair{0.5, 3.0}, {-1, 4}, {2, 5}}) {
    first.push_back(std::cos(x) * g);
    second.push_back(std::cos(x) * x + std::sin(x) + std::cos(x) * g + 2 * x * g);
  }
  check_values(found.outputs[0], first);
  check_values(found.outputs[1], second);
  CHECK(found.outputs[2].values[2] == doctest::Approx(std::cos(2.0) * 10));
}

TEST_CASE("consider_constant: the value stays, and gradients go elsewhere") {
  const auto inputs = {vector({0.5, -1, 2}), vector({3, 4, 5})};
  const auto f = [](kt::var<double, n> x, kt::var<double, n> y) {
    const auto target = kt::exp(x);
    const auto cost = kt::sum(kt::sqr(target - x) * y);
    const auto held = kt::consider_constant(cost, target), of_two = kt::consider_constant(cost, target, y);
    return kt::outputs(cost - held, kt::grad(held, x), kt::grad(of_two, x), kt::grad(cost, x));
  };
  const auto found = run(f, inputs);
  CHECK(found.outputs[0].values[0] == 0);
  numbers held, whole;
  for (const auto& [x, y] : {std::pair{0.5, 3.0}, {-1, 4}, {2, 5}}) {
    const double difference = std::exp(x) - x;
    held.push_back(-2 * difference * y);
    whole.push_back(2 * difference * y * (std::exp(x) - 1));
  }
  check_values(found.outputs[1], held);
  check_values(found.outputs[2], held);
  check_values(found.outputs[3], whole);
}

namespace {
struct pair_of_nets : kt::model {
  kt::shared<double> a{this, "a"}, b{this, "b"};
  constexpr auto f(kt::var<double> x) const {
    const auto cost = kt::sqr(a * x + a * b);
    return kt::outputs(kt::grad(kt::consider_constant(cost, kt::parameters(a)), b));
  }
};
}  // namespace

TEST_CASE("consider_constant: parameters") {
  check_values(run<&pair_of_nets::f>({scalar(2)}, {scalar(3), scalar(5)}).outputs[0], {2 * (6 + 15) * 3});
}
