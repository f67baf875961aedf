// expect: kroton: the operands have different element types
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch, 3> x, kt::var<double, 3> y) {
  return kt::dot(x, y);  // <- here
}
