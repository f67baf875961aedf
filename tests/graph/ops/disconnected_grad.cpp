#include "../../support.hpp"

TEST_CASE("disconnected_grad") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::disconnected_grad(x); }, [](double v) { return v; });
  const auto slope = [](kt::var<double, n> x) { return kt::grad(kt::sum(x * kt::disconnected_grad(x)), x); };
  check_tensor(eval(slope, {vector({3, -2})}), {2}, {3, -2});
}
