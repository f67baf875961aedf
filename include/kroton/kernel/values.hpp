// This header converts the values of instructions, for every way in which kernels are evaluated.
//
//     constant<float, bits of 0.5>  ->  0.5f;  convert<kt::half> of 1e-9f  ->  0.0f, the half as a float
#pragma once

#include <kroton/arithmetic/scalar.hpp>
#include <kroton/arithmetic/short_float.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace kroton::kernel {

/// The number of a `constant`.
template <class T, std::int64_t Bits>
inline constexpr T constant_of = [] {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(std::bit_cast<double>(Bits));
  else return static_cast<T>(Bits);
}();
/// Converts a number to `To`; 16-bit floats are rounded and stay in float.
template <class To, class From>
constexpr KROTON_HD auto converted(From x) {
  if constexpr (arithmetic::short_floating<To>) return static_cast<float>(To(static_cast<float>(x)));
  else if constexpr (std::is_same_v<To, bool>) return simd::is_nonzero(x);
  else return simd::convert<To>(x);
}

}  // namespace kroton::kernel
