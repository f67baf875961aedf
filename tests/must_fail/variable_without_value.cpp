// expect: kroton: a kt::var is a parameter
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float> x) {
  kt::var<float> total;  // <- here
  for (int i = 0; i < 3; ++i) total = total + x;
  return total;
});
