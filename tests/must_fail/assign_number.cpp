// expect: kroton: a kt::var is not a value
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float, 3> x) {
  auto y = 2 * x;
  y = 0;  // <- here
  return x + y;
});
