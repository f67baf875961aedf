// expect: kroton: the operation does not take this element type
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<int, batch> x) {
  return kt::exp(x);  // <- here
}
