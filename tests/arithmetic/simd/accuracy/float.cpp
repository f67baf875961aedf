// The accuracy of the functions on packs of float, against the next larger type.
#ifdef KROTON_TEST_MAIN
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#endif
#define KROTON_TEST_TYPE float
#include "functions.hpp"
