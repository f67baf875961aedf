// expect: kroton: an axis is named twice
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch, 4> x) {
  return kt::sum(x, kt::axis<1, -1>);  // <- here
}
