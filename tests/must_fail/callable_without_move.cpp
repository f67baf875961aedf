// expect: kroton: functions and callables are moved into a callable
#include <kroton/callable.hpp>
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float> x) { return 2 * x; });
kt::callable<float(float)> g = f;  // <- here
