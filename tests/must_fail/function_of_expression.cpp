// expect: kroton: a lambda that captures nothing is wanted
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

void f(kt::var<float> x) {
  auto twice = kt::function(2 * x);  // <- here
}
