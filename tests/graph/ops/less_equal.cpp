#include "../../support.hpp"

TEST_CASE("less_equal") {
  using namespace test;
  check_binary([](kt::var<double, n> x, kt::var<double, n> y) { return x <= y; },
               [](double x, double y) { return x <= y ? 1.0 : 0.0; });
  const auto of_integers = [](kt::var<int, n, 1> x, kt::var<int, m> y) { return x <= y; };
  check_tensor(eval(of_integers, {matrix(2, 1, {1, 2}), vector({0, 1, 2})}), {2, 3},
               {1 <= 0, 1 <= 1, 1 <= 2, 2 <= 0, 2 <= 1, 2 <= 2});
  const auto of_number = [](kt::var<std::uint8_t, n> x) { return x <= 3; };
  check_tensor(eval(of_number, {vector({2, 3, 4})}), {3}, {2 <= 3, 3 <= 3, 4 <= 3});
  // as a condition it carries no gradient
  check_grad([](kt::var<double, n> x) { return kt::where(x <= 0, x * x, 3 * x); }, {vector({-1, 2})});
}
