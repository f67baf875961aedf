// The accuracy of the functions on packs of double, against the next larger type.
#ifdef KROTON_TEST_MAIN
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#endif
#define KROTON_TEST_TYPE double
#include "functions.hpp"
