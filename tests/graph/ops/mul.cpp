#include "../../support.hpp"

TEST_CASE("mul") {
  using namespace test;
  check_binary([](kt::var<double, n> x, kt::var<double, n> y) { return x * y; },
               [](double x, double y) { return x * y; });
  // broadcasting, and gradients summed over it
  const auto f = [](kt::var<double, n, 1> a, kt::var<double, m> b) { return a * b; };
  const tensor x = matrix(2, 1, {-1.5, 2}), y = vector({0.5, 3, -4});
  check_grad(f, {x, y});
  check_grad([](kt::var<double, n, 1> a, kt::var<double> b) { return a * b; }, {x, scalar(1.7)});
  const auto slopes = [](kt::var<double, n, 1> a, kt::var<double, m> b) {
    const auto cost = kt::sum(a * b);
    return kt::outputs(kt::grad(cost, a), kt::grad(cost, b));
  };
  check_grad(slopes, {x, y});
  check_tensor(eval(f, {matrix(2, 1, {-1.5, 2}), vector({})}), {2, 0}, {});
  const auto narrow = [](kt::var<std::uint8_t, n> a, kt::var<std::uint8_t, n> b) { return a * b; };
  check_tensor(eval(narrow, {vector({200, 3}), vector({100, 5})}), {2}, {32, 15});  // wraps
  const auto wide = [](kt::var<int> a, kt::var<int> b) { return a * b; };
  check_tensor(eval(wide, {scalar(2147483647), scalar(2147483647)}), {}, {1});
}
