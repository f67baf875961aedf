// expect: kroton: a kt::var is a parameter
#include <kroton/kroton.hpp>
namespace kt = kroton;

kt::var<float, 3> w;  // <- here
auto f = kt::function([](kt::var<float, 3> x) { return x * w; });
