// expect: kroton: a tensor is not converted to another element type or number of axes
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float, 3> x) { return 2 * x; });
kt::tensor<double, 1> y = f(kt::tensor<float, 1>({3}));  // <- here
