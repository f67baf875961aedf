#include "../../support.hpp"

TEST_CASE("log_erfc") {
  using namespace test;
  const auto f = [](kt::var<double, n> x) { return kt::log_erfc(x); };
  check_values(
      eval(f, {vector({0, -0.0, 1e-20, -1e-20, 0.3, 0.6, 5, 26.4, 26.6, 1e4, 1e200, -3, -800, inf, -inf, quiet_nan})}),
      {-0.0, 0, -1.1283791670955126e-20, 1.1283791670955126e-20, -0.39843005144008527, -0.92597772679428661,
       -27.200889545537434, -700.80644507223147, -711.41398156849619, -100000009.78270532, -inf, 0.69313613525044681,
       0.6931471805599453, -inf, 0.6931471805599453, quiet_nan});
  const tensor x = vector({-3, -0.75, 0, 0.45, 0.7, 2, 20, 26.4, 26.6, 40});
  check_grad(f, {x});
  const auto slope = [](kt::var<double, n> a) { return kt::grad(kt::sum(kt::log_erfc(a)), a); };
  check_grad(slope, {vector({-3, -0.75, 0, 0.45, 2, 5})});
  check_values(eval(slope, {vector({-inf, -800, 0, 1e4, inf})}), {-0.0, -0.0, -1.1283791670955126, -20000.0001, -inf});
}
