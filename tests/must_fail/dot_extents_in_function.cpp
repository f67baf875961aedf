// expect: kroton: the extents of the operands do not match
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch, 3> x, kt::var<float, 4, 2> y) {
  return kt::relu(kt::dot(x, y));  // <- here
});
