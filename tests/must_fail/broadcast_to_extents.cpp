// expect: kroton: the extents of the operands do not match
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, 3> x) {
  return kt::broadcast_to<batch, 4>(x);  // <- here
}
