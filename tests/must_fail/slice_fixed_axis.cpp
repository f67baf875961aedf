// expect: kroton: there is no such axis
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch> x) {
  return x[kt::cols<0, 1>()];  // <- here
}
