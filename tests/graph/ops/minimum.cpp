#include "../../support.hpp"

TEST_CASE("minimum") {
  using namespace test;
  check_binary([](kt::var<double, n> x, kt::var<double, n> y) { return kt::minimum(x, y); },
               [](double x, double y) { return std::isnan(x) || std::isnan(y) ? quiet_nan
                                               : y < x                        ? y
                                                                              : x; });
  // broadcasting, and gradients summed over it
  const auto f = [](kt::var<double, n, 1> a, kt::var<double, m> b) { return kt::minimum(a, b); };
  const tensor x = matrix(2, 1, {-1.5, 2}), y = vector({0.5, 3, -4});
  check_grad(f, {x, y});
  check_grad([](kt::var<double, n, 1> a, kt::var<double> b) { return kt::minimum(a, b); }, {x, scalar(1.7)});
  check_tensor(eval(f, {matrix(2, 1, {-1.5, 2}), vector({})}), {2, 0}, {});
  // the gradient of equals goes to the first
  const auto tie = [](kt::var<double, n> a, kt::var<double, n> b) {
    const auto cost = kt::sum(kt::minimum(a, b));
    return kt::outputs(kt::grad(cost, a), kt::grad(cost, b));
  };
  const auto slopes_at_tie = run(tie, {vector({1, 2, 3}), vector({2, 2, 2})});
  check_values(slopes_at_tie.outputs[0], {1, 1, 0});
  check_values(slopes_at_tie.outputs[1], {0, 0, 1});
}
