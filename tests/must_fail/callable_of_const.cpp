// expect: kroton: a const object cannot call this callable
#include <kroton/callable.hpp>
#include <kroton/kroton.hpp>
namespace kt = kroton;

float call(const kt::callable<float(float)>& f) { return f(2); }  // <- here
