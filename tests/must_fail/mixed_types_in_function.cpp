// expect: kroton: the operands have different element types
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch> x, kt::var<double, batch> y) {
  auto z = x * y;  // <- here
  return kt::grad(kt::sum(kt::exp(z)), x);
});
