#include "../../support.hpp"

TEST_CASE("grad_scale") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::grad_scale(x, -2); }, [](double v) { return v; });
  const auto slope = [](kt::var<double, n> x) { return kt::grad(kt::sum(kt::sqr(kt::grad_scale(x, -0.5))), x); };
  check_tensor(eval(slope, {vector({-2, 3})}), {2}, {2, -3});
}
