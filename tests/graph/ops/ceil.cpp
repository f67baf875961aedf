#include "../../support.hpp"

TEST_CASE("ceil") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::ceil(x); }, std::ceil);
  // piecewise constant: no gradient flows through it, but one flows past it
  check_grad([](kt::var<double, n> x) { return x * kt::ceil(x); }, {vector({-1.7, -0.3, 0.4, 2.2})});
}
