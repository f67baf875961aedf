#include "../../support.hpp"

namespace {

/// By bisection, in long double, in which the least doubles are no denormals.
double quantile(double p) {
  if (p > 0.5 && p <= 1) return -quantile(1 - p);
  if (!(p >= 0 && p <= 0.5)) return test::quiet_nan;
  if (p == 0 || p == 0.5) return p == 0 ? -test::inf : 0;
  long double low = -40, high = 0;
  for (int i = 0; i < 100; ++i) {
    const long double z = (low + high) / 2;
    (std::erfc(-z / std::sqrt(2.0L)) / 2 < p ? low : high) = z;
  }
  return static_cast<double>(high);
}

TEST_CASE("normal_quantile") {
  using namespace test;
  check_unary([](kt::var<double, n> p) { return kt::normal_quantile(p); }, quantile);
  const tensor p = vector({0.02, 0.07, 0.3, 0.5, 0.95});
  check_grad([](kt::var<double, n> a) { return kt::normal_quantile(a); }, {p});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::normal_quantile(a)), a); }, {p});
  check_values(eval([](kt::var<double, n> a) { return kt::normal_quantile(a); },
                    {vector({1e-300, 1e-10, 0.025, 0.0749999, 0.0750001, 0.5, 0.75, 0.975})}),
               {quantile(1e-300), -6.361340902404056, -1.959963984540054, quantile(0.0749999), quantile(0.0750001), 0,
                0.6744897501960817, 1.959963984540054});
}

}  // namespace
