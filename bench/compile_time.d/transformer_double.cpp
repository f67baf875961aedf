// The transformer in float, and once more in double, as whoever checks gradients compiles it.
#include <kroton/kroton.hpp>

#include <cstdio>

namespace in_float {
#include "transformer.cpp"
}
#undef REAL
#define REAL double
namespace in_double {
#include "transformer.cpp"
}
