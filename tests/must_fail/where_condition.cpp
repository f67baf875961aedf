// expect: kroton: the operands have different element types
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch> x) {
  return kt::where(x, x, 0);  // <- here
}
