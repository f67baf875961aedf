// expect: kroton: grad needs a floating-point cost
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch> x) {
  return kt::grad(kt::sum(kt::cast<int>(x)), x);  // <- here
}
