// What a callable without a function says.
#pragma once

#include <kroton/callable.hpp>
#include <kroton/runtime/error.hpp>

namespace kroton {

KROTON_DEFINITION void refuse_empty_callable() {
  throw error("kroton: the callable has no function; assign a compiled function to it first");
}

}  // namespace kroton
