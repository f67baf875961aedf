// expect: kroton: grad takes a scalar cost, and an expression or the parameters
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float> x) {
  return x + kt::grad(3.0F, x);  // <- here
});
