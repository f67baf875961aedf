#include "../../support.hpp"

TEST_CASE("grad_clip") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::grad_clip(x, -1, 1); }, [](double v) { return v; });
  const auto slope = [](kt::var<double, n> x) { return kt::grad(kt::sum(kt::sqr(kt::grad_clip(x, -1, 3))), x); };
  check_tensor(eval(slope, {vector({-2, -0.25, 1, 5, inf, quiet_nan})}), {6}, {-1, -0.5, 2, 3, 3, quiet_nan});
}
