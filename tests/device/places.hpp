// The names of devices that the tests of places share.
#pragma once

#include "device.hpp"

namespace test {

inline constexpr struct first : kt::context_name<first> {} first;
inline constexpr struct second : kt::context_name<second> {} second;

inline void map_names() {
  [[maybe_unused]] static const bool once = [] {
    kt::context::map("first", device_name(0));
    kt::context::map("second", device_name(2));
    return true;
  }();
}

}  // namespace test
