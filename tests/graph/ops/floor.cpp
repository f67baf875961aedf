#include "../../support.hpp"

TEST_CASE("floor") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::floor(x); }, std::floor);
  // piecewise constant: no gradient flows through it, but one flows past it
  check_grad([](kt::var<double, n> x) { return x * kt::floor(x); }, {vector({-1.7, -0.3, 0.4, 2.2})});
}
