#include "../../support.hpp"

TEST_CASE("sign") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::sign(x); },
              [](double v) { return v > 0   ? 1.0
                                    : v < 0 ? -1.0
                                            : v; });
  check_tensor(eval([](kt::var<int, n> x) { return kt::sign(x); }, {vector({-7, 0, 7})}), {3}, {-1, 0, 1});
  check_tensor(eval([](kt::var<std::uint16_t, n> x) { return kt::sign(x); }, {vector({0, 7})}), {2}, {0, 1});
  // piecewise constant: no gradient flows through it, but one flows past it
  check_grad([](kt::var<double, n> x) { return x * kt::sign(x); }, {vector({-1.7, -0.3, 0.4, 2.2})});
}
