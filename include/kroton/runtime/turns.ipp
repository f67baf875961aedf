// This file has the messages of calls that may not run.
#pragma once

#include <kroton/runtime/turns.hpp>

namespace kroton::runtime {

[[gnu::cold]] KROTON_DEFINITION void refuse_second_call() {
  throw error(
      "kroton: two threads call one function at the same time; give each thread a function of its own: f.clone()");
}
[[gnu::cold]] KROTON_DEFINITION void refuse_moved(const char* what) {
  throw error(message("kroton: the ", what, " was moved to another object; use that one"));
}

}  // namespace kroton::runtime
