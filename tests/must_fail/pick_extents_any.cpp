// expect: kroton: the extents of the operands do not match
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 1, 3> x, kt::var<int, batch> label) {
  return kt::pick(x, label);  // <- here
});
