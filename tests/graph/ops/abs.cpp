#include "../../support.hpp"

TEST_CASE("abs") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::abs(x); }, std::fabs);
  check_tensor(eval([](kt::var<int, n> x) { return kt::abs(x); }, {vector({-7, 0, 7})}), {3}, {7, 0, 7});
  check_tensor(eval([](kt::var<std::uint8_t, n> x) { return kt::abs(x); }, {vector({0, 200})}), {2}, {0, 200});
  check_grad([](kt::var<double, n> x) { return kt::abs(x); }, {vector({-1.7, -0.3, 0.4, 2.2})});
  const auto slope = [](kt::var<double, n> x) { return kt::grad(kt::sum(kt::abs(x)), x); };
  check_tensor(eval(slope, {vector({-3, 0, 3, quiet_nan})}), {4}, {-1, 0, 1, quiet_nan});
}
