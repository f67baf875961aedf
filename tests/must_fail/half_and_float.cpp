// expect: kroton: the operands have different element types
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<kt::half, batch> x, kt::var<float, batch> y) {
  return x * y + 1;  // <- here
}
