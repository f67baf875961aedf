// expect: kroton: the extents of the operands do not match
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch, 3> x, kt::var<float, 4, 2> y) {
  return kt::dot(x, y);  // <- here
}
