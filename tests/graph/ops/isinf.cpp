#include "../../support.hpp"

TEST_CASE("isinf") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::isinf(x); }, [](double v) { return std::isinf(v) ? 1.0 : 0.0; });
  // as a condition it carries no gradient
  check_grad([](kt::var<double, n> x) { return kt::where(kt::isinf(x), 0, x * x); }, {vector({-1, 2})});
}
