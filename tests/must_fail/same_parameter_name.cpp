// expect: redefinition of parameter 'x'
// expect of gcc: kroton: the parameters of a compiled function are kt::var<...>
// most: 15, because the compilers complain of the name first
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float, 3> x, kt::var<float, 3> x) { return x * x; });  // <- here
