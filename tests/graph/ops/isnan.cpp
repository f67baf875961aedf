#include "../../support.hpp"

TEST_CASE("isnan") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::isnan(x); }, [](double v) { return std::isnan(v) ? 1.0 : 0.0; });
  // as a condition it carries no gradient
  check_grad([](kt::var<double, n> x) { return kt::where(kt::isnan(x), 0, x * x); }, {vector({-1, 2})});
}
