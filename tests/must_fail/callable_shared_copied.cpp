// expect: kroton: functions and callables are moved into a callable
#include <kroton/callable.hpp>
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto share(kt::callable<float(float)>& f) { return f.shared(); }  // <- here
