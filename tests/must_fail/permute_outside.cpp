// expect: kroton: there is no such axis
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch, 3> x) {
  return kt::permute<0, 2>(x);  // <- here
}
