// expect: kroton: an extent is a number >= 0
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, -3> x) {  // <- here
  return x;
}
