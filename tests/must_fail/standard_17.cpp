// expect: kroton: C++20 is needed; add -std=c++20
// flags: -std=c++17
// most: 15
#include <kroton/kroton.hpp>  // <- here
namespace kt = kroton;

auto f = kt::function([](kt::var<float, 3> x) { return 2 * x; });
