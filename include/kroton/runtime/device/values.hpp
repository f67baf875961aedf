// This header has the values of operations in a thread of a device, and moves packs of neighbouring ones.
//
//     4 floats at an address that is a multiple of 16  ->  one load of 16 bytes;  else four loads
#pragma once

#include <kroton/graph/array.hpp>
#include <kroton/kernel/values.hpp>
#include <kroton/runtime/device/parts.hpp>

#include <cstdint>
#include <type_traits>

namespace kroton::runtime::on_device {

using kernel::constant_of;
using kernel::converted;

/// The value of an operation in a thread of a device. Tests replace it, because a device may round differently.
template <class Op>
struct applied {
  template <class... V>
  static KROTON_DEVICE auto to(const V&... x) {
    return Op::apply(x...);
  }
};

/// Neighbouring elements, moved at once.
template <class T, int Width>
struct alignas(sizeof(T) * Width) block {
  plain_array<T, Width> item;
};
/// Whether the `left` elements at `at` can be moved as a block.
template <int Width, class T>
KROTON_DEVICE bool is_whole(const T* at, int left) {
  return Width == 1 || (left == Width && reinterpret_cast<std::uintptr_t>(at) % sizeof(block<T, Width>) == 0);
}

}  // namespace kroton::runtime::on_device
