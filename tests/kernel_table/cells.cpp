// The table of kernels for the element type that `run` names; on simulated devices, or with nvcc on those of this
// machine.
#include "cells.hpp"

#ifndef ELEMENT
#define ELEMENT float
#endif
#ifndef PART
#define PART whole
#endif

TEST_CASE("kernel table: every operation in one element type") { test::check_table<ELEMENT, test::part::PART>(); }
