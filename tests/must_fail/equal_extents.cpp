// expect: kroton: the extents of the operands do not match
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch> x, kt::var<float, 3> y) {
  return kt::where(x == y, x, 0);  // <- here
});
