// expect: kroton: the extents of the operands do not match
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f = [](kt::var<float, 3> x, kt::var<float, 4> y) {
  return kt::where(x < 0, x, y);  // <- here
};
