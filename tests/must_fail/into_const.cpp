// expect: kroton: f.into(y, x) takes a tensor for the output
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float, 3> x) { return 2 * x; });
void call(const kt::tensor<float, 1>& y, const kt::tensor<float, 1>& x) {
  f.into(y, x);  // <- here
}
