// This file has the message of a callable without a function.
#pragma once

#include <kroton/callable.hpp>
#include <kroton/runtime/context/error.hpp>

namespace kroton::runtime {

KROTON_DEFINITION void refuse_empty_callable() {
  throw error("kroton: the callable has no function; assign a compiled function to it first");
}

[[gnu::cold]] KROTON_DEFINITION void refuse_clone() {
  throw error("kroton: clone: the function of the callable can be moved, not copied; give it a function clone()");
}

}  // namespace kroton::runtime
