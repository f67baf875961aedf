// Loops with functors beside the same loops with functions written by hand: check_functors in `run` counts their
// instructions.
#include <kroton/kroton.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kt = kroton;

constexpr auto polynomial = kt::functor([](kt::var<float> x) { return (0.5f * x + 2) * x - 1; });
constexpr auto slope = kt::functor([](kt::var<double> x) { return kt::grad(x * x * x, x); });
constexpr auto length = kt::functor([](kt::var<float> x, kt::var<float> y) { return kt::sqrt(x * x + y * y); });

extern "C" {
void polynomial_functor(const float* x, float* y, long n) { std::transform(x, x + n, y, polynomial); }
void polynomial_by_hand(const float* x, float* y, long n) {
  std::transform(x, x + n, y, [](float a) { return (0.5f * a + 2) * a - 1; });
}
double slope_functor(const double* x, long n) { return std::transform_reduce(x, x + n, 0.0, std::plus<>(), slope); }
double slope_by_hand(const double* x, long n) {
  return std::transform_reduce(x, x + n, 0.0, std::plus<>(), [](double a) { return 3 * a * a; });
}
void length_functor(const float* x, const float* y, float* z, long n) { std::transform(x, x + n, y, z, length); }
void length_by_hand(const float* x, const float* y, float* z, long n) {
  std::transform(x, x + n, y, z, [](float a, float b) { return std::sqrt(a * a + b * b); });
}
}
