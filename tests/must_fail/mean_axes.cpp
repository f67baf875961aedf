// expect: kroton: axes are written kt::axis<0>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch, 3> x) {
  return kt::mean(x, kt::keep_dims);  // <- here
});
