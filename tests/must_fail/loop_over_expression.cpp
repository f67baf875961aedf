// expect: kroton: an expression has no elements to visit while it is captured
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, n> x) {
  kt::var<float> total = 0 * x[0];
  for (auto each : x) total = total + each[0];  // <- here
  return total;
});
