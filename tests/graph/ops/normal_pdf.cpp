#include "../../support.hpp"

TEST_CASE("normal_pdf") {
  using namespace test;
  constexpr auto density = [](kt::var<double, n> a) { return kt::normal_pdf(a); };
  constexpr auto slope = [](kt::var<double, n> a) { return kt::grad(kt::sum(kt::normal_pdf(a)), a); };
  check_unary(density, [](double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); });
  const tensor x = vector({-3, -0.75, 0, 0.7, 2});
  check_grad(density, {x});
  check_grad(slope, {x});
  check_values(eval(slope, {vector({-inf, -1e200, 0, 1e200, inf})}), {0, 0, -0.0, -0.0, -0.0});
  // the rounding of the square would be 300 units in the last place
  check_values(eval(density, {vector({-37.1, -20.3, 37.1})}),
               {5.215262198831984e-300, 1.308288554681529e-90, 5.215262198831984e-300});
}
