// expect: kroton: -ffast-math and -Ofast break what Kroton promises of NaN
// flags: -ffast-math -Werror
#include <kroton/kroton.hpp>  // <- here
namespace kt = kroton;

auto f = kt::function([](kt::var<float, 3> x) { return 2 * x; });
