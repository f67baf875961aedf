// expect: kroton: an axis is named twice
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch, 4> x) {
  return kt::mean(x, kt::axis<0, 0>);  // <- here
}
