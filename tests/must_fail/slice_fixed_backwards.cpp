// expect: kroton: a position or range lies outside its axis, or has a step of 0
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch, 4> x) {
  return x[kt::rows<3, 2>()];  // <- here
}
