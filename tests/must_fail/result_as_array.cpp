// expect: kroton: a result is a kt::tensor
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float, 3> x) { return 2 * x; });
void call(std::array<float, 3>& x) {
  x = f(x);  // <- here
}
