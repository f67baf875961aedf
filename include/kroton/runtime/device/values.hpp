// This header converts values in a thread of a device, and moves packs of neighbouring ones.
//
//     4 floats at an address that is a multiple of 16  ->  one load of 16 bytes;  else four loads
#pragma once

#include <kroton/arithmetic/scalar.hpp>
#include <kroton/arithmetic/short_float.hpp>
#include <kroton/graph/array.hpp>
#include <kroton/runtime/device/parts.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace kroton::runtime::on_device {

/// The number of a `kernel::constant`.
template <class T, std::int64_t Bits>
inline constexpr T constant_of = [] {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(std::bit_cast<double>(Bits));
  else return static_cast<T>(Bits);
}();
/// The value of an operation in a thread of a device. Tests replace it, because a device may round differently.
template <class Op>
struct applied {
  template <class... V>
  static KROTON_DEVICE auto to(const V&... x) {
    return Op::apply(x...);
  }
};
/// Converts a value to `To`; 16-bit floats are rounded and stay in float.
template <class To, class From>
KROTON_DEVICE auto converted(From x) {
  if constexpr (short_floating<To>) return static_cast<float>(To(static_cast<float>(x)));
  else if constexpr (std::is_same_v<To, bool>) return simd::is_nonzero(x);
  else return simd::convert<To>(x);
}

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
