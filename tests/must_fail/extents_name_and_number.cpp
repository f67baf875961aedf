// expect: kroton: the extents of the operands do not match
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch> x, kt::var<float, 4> y) {
  const auto z = kt::exp(x) * y;  // <- here
  return z + 1;
}
