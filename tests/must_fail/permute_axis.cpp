// expect: kroton: an axis is named twice
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch, 3> x) {
  return kt::permute<0, 0>(x);  // <- here
}
