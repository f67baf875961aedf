// expect: kroton: a kt::var is not a value
#include <kroton/kroton.hpp>
namespace kt = kroton;

constexpr auto twice(kt::var<float> x) { return 2 * x; }
auto f = kt::function([](kt::var<float> x) { return x + twice(3.0f); });  // <- here
