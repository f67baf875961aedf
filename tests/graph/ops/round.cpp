#include "../../support.hpp"

TEST_CASE("round") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::round(x); }, [](double v) { return std::nearbyint(v); });
  check_tensor(eval([](kt::var<double, n> x) { return kt::round(x); }, {vector({0.5, 1.5, 2.5, -0.5, -1.5})}), {5},
               {0, 2, 2, -0.0, -2});  // halves to the even number
  // piecewise constant: no gradient flows through it, but one flows past it
  check_grad([](kt::var<double, n> x) { return x * kt::round(x); }, {vector({-1.7, -0.3, 0.4, 2.2})});
}
