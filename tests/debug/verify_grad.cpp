#include "../support.hpp"

using namespace test;

namespace {

struct linear : kt::model {
  kt::shared<double, 2> w{this, "w"};
  kt::shared<int> steps{this, "steps"};
  constexpr auto cost(kt::var<double, n, 2> x) const {
    return kt::outputs(kt::sum(kt::sqr(kt::dot(x, w))), steps).updates(kt::update(steps, steps + 1));
  }
  constexpr auto wrong(kt::var<double, n, 2> x) const { return kt::sum(kt::dot(x, kt::grad_scale(w, 2))); }
};

}  // namespace

TEST_CASE("verify_grad: right gradients pass") {
  const auto f = [](kt::var<double, n> x, kt::var<int, n> i) { return kt::outputs(kt::exp(x), kt::sum(x), i); };
  const auto report = kt::debug::verify_grad(f, {vector({0.5, -1}), vector({1, 2})});
  CHECK(report);
  CHECK(report.max_error < 1e-8);
  CHECK(kt::debug::verify_grad<&linear::cost>({matrix(2, 2, {1, 2, 3, 4})}).ok);
  kt::debug::verify_options options;
  options.shared = {vector({-1, 2}), scalar(3)};
  CHECK(kt::debug::verify_grad<&linear::cost>({matrix(2, 2, {1, 2, 3, 4})}, options).ok);
}

TEST_CASE("verify_grad: wrong gradients are found, with their place") {
  const auto f = [](kt::var<double, n, 2> x) { return x * kt::grad_scale(x, 3); };
  const auto report = kt::debug::verify_grad(f, {matrix(1, 2, {0, 1})});
  CHECK_FALSE(report);
  CHECK(report.where == "argument 1 at [0, 1]");
  CHECK(report.derived == doctest::Approx(2 * report.measured));
  CHECK(kt::debug::verify_grad<&linear::wrong>({matrix(1, 2, {1, 1})}).where.substr(0, 17) == "shared variable w");
  // NaN is an error
  CHECK_FALSE(kt::debug::verify_grad([](kt::var<double, n> x) { return kt::sqrt(x); }, {vector({-1})}).ok);
  // a gradient that is missing stands for zeros
  const auto hidden = [](kt::var<double, n> x) { return kt::disconnected_grad(x); };
  CHECK_FALSE(kt::debug::verify_grad(hidden, {vector({1})}).ok);
}
