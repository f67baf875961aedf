// This file has the functions of a share in an output of a device.
#pragma once

#include <kroton/runtime/context/pending_value.hpp>

namespace kroton::runtime {

KROTON_DEFINITION void settle(pending_value& value) { value.settle(); }
KROTON_DEFINITION void abandon(pending_value& value) noexcept { value.abandon(); }
KROTON_DEFINITION void move(pending_value& value, const std::byte* from, std::byte* to, std::size_t bytes) {
  value.move(from, to, bytes);
}

}  // namespace kroton::runtime
