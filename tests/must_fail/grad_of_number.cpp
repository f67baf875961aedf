// expect: kroton: grad takes a scalar cost, and an expression or the parameters
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float> x) {
  return kt::grad(x * x, 3);  // <- here
});
