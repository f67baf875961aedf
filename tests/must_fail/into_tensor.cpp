// expect: kroton: f.into(y, x) takes a tensor for the output
#include <kroton/kroton.hpp>
namespace kt = kroton;

int main() {
  auto f = kt::function([](kt::var<float, 3> x) { return kt::exp(x); });
  kt::tensor<double, 1> y;
  f.into(y, kt::tensor<float, 1>({3}));  // <- here
}
