// expect: kroton: a compiled function is moved, not copied
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float, 3> x) { return 2 * x; });
auto g = f;  // <- here
