// expect: kroton: the operation does not take this element type
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, 3> x, kt::var<float, batch> index) {
  return kt::take(x, index);  // <- here
}
