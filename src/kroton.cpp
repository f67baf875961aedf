// What no template of Kroton needs, compiled once: see KROTON_COMPILED_LIB in include/kroton/config.hpp.
#define KROTON_IMPLEMENTATION
#include <kroton/kroton.hpp>

#include <kroton/runtime/placed_kernels.hpp>  // for files that nvcc compiles
