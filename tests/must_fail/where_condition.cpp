// expect: kroton: a condition or a mask is a tensor of bool
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch> x) {
  return kt::where(x, x, 0);  // <- here
}
