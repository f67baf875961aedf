// expect: kroton: functions and callables are moved into a callable
#include <kroton/callable.hpp>
#include <kroton/kroton.hpp>
namespace kt = kroton;

void call(kt::callable<float(float)>& f) { kt::callable<float(float)> g = f; }  // <- here
