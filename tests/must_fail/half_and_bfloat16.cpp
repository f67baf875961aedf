// expect: kroton: the operands have different element types
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<kt::half, batch, 4> x, kt::var<kt::bfloat16, 4> y) {
  return kt::dot(x, y);  // <- here
}
