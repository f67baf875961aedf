// expect: kroton: the operands do not have the number of axes
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch, 3> x, kt::var<float, batch> y) {
  return kt::concatenate(kt::axis<0>, x, y);  // <- here
}
