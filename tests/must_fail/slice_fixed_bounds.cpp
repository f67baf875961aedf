// expect: kroton: a range has two bounds
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch, 4> x) {
  return x[kt::rows<1>()];  // <- here
}
