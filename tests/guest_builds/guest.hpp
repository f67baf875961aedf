// What programs check as a user might write them, with the headers of who looks for a mistake after the others.
#pragma once

#include <kroton/kroton.hpp>
// after it
#include <kroton/debug/print.hpp>
#include <kroton/debug/stats.hpp>
#include <kroton/debug/verify.hpp>
#include <kroton/debug/verify_grad.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace kt = kroton;

inline int wrong = 0;

inline void check(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  ++wrong;
}
inline void check(const kt::debug::comparison& found, const char* what) {
  if (!found) std::printf("%s is %g, expected %g\n", found.where.c_str(), found.found, found.expected);
  check(found.ok, what);
}
