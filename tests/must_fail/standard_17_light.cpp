// expect: kroton: C++20 is needed; add -std=c++20
// flags: -std=c++17
// most: 15
#include <kroton/callable.hpp>  // <- here

float call(kroton::callable<float(float)>& f) { return f(1); }
