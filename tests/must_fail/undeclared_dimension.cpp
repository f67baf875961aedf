// expect: use of undeclared identifier 'rows'
// expect of gcc: 'rows' was not declared in this scope
// most: 22, because compilers say what else is called so
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float, rows, 3> x) { return x * 2; });  // <- here
