// expect: kroton: the extents of the operands do not match
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch> x, kt::var<float, 3> y) {
  return kt::stack(kt::axis<0>, x, y);  // <- here
}
