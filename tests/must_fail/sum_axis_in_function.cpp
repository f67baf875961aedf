// expect: kroton: there is no such axis
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch, 3> x) {
  return x - kt::sum(x, kt::axis<2>, kt::keep_dims);  // <- here
});
