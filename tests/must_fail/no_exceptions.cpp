// expect: kroton: exceptions are needed
// flags: -fno-exceptions
// most: 15
#include <kroton/kroton.hpp>  // <- here
namespace kt = kroton;

auto f = kt::function([](kt::var<float, 3> x) { return 2 * x; });
