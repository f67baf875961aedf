// expect: kroton: this is not an element type
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<long double, batch> x) {  // <- here
  return x;
}
