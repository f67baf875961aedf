// expect: kroton: f.into(y, x) takes a tensor for the output
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float, 3> x) { return 2 * x; });
void call(const kt::tensor<float, 1>& x) {
  f.into(kt::tensor<float, 1>({3}), x);  // <- here
}
