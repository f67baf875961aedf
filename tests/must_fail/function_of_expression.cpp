// expect: kroton: kt::function takes a lambda without captures
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

void f(kt::var<float> x) {
  auto twice = kt::function(2 * x);  // <- here
}
