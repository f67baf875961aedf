// expect: use of undeclared identifier 'batch'; did you mean
// expect of gcc: 'batch' was not declared in this scope
// most: 22, because compilers say that xsimd has a batch, and the way to its header
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float, batch, 3> x) { return x * 2; });  // <- here
