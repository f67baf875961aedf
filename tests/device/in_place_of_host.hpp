// Included before all else, this makes functions that are told no context run on a simulated device, as they run on a
// GPU where nvcc compiles them.
#pragma once

namespace simulated {
struct backend;
}
#define KROTON_BACKEND ::simulated::backend

#include "simulated.hpp"

namespace simulated {
inline const bool is_installed = (install(), true);
}
