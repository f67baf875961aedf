// expect: kroton: the operands do not have the number of axes
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float> x, kt::var<int, batch> index) {
  return kt::take(x, index);  // <- here
}
