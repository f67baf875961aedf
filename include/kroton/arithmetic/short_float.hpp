// This header has floating-point numbers of 16 bits, in which tensors are kept; arithmetic on them is done in float.
#pragma once

#include <kroton/config.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace kroton {

namespace arithmetic {
/// A binary floating-point number of 16 bits, `Exponent` of them for the exponent, in the encoding of IEEE
/// 754; the base of its class `Self`. It converts to float exactly and without being asked; the way back
/// rounds to nearest, halves to even, and has to be written.
template <class Self, int Exponent>
class short_float {
 public:
  static constexpr int exponent_bits = Exponent, fraction_bits = 15 - Exponent;

  short_float() = default;
  template <std::convertible_to<float> X>
    requires(!std::same_as<X, Self>)
  constexpr KROTON_HD explicit short_float(X x) : bits_(rounded(static_cast<float>(x))) {}
  constexpr KROTON_HD operator float() const {
#ifdef __CUDA_ARCH__
    if (!__builtin_is_constant_evaluated()) {
      float x;
      if (Exponent == 5) asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits_));
      else x = __builtin_bit_cast(float, std::uint32_t{bits_} << 16);
      return x;
    }
#endif
    const std::uint32_t sign = std::uint32_t{bits_} >> 15 << 31, magnitude = bits_ & 0x7fffu;
    if (magnitude >= infinity) return __builtin_bit_cast(float, sign | 0x7f800000u | (magnitude - infinity) << dropped);
    if (magnitude < least_normal)
      return __builtin_bit_cast(float, sign | __builtin_bit_cast(std::uint32_t, static_cast<float>(magnitude) * least));
    return __builtin_bit_cast(float, sign | ((magnitude << dropped) + rebias));
  }
  /// The number with these bits.
  static constexpr Self from_bits(std::uint16_t bits) {
    Self x(0);
    x.bits_ = bits;
    return x;
  }
  constexpr std::uint16_t bits() const { return bits_; }

 private:
  static constexpr int dropped = 23 - fraction_bits, bias = (1 << (Exponent - 1)) - 1;
  static constexpr std::uint32_t least_normal = 1u << fraction_bits, infinity = ((1u << Exponent) - 1) << fraction_bits;
  static constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - bias) << 23;
  static constexpr float least = Exponent == 8 ? 0x1p-133f : 0x1p-24f;  // the smallest positive number

  static constexpr KROTON_HD std::uint16_t rounded(float x) {
#ifdef __CUDA_ARCH__
    if (!__builtin_is_constant_evaluated()) {
      std::uint16_t bits;
      if (Exponent == 5) asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
      else asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
      return bits;
    }
#endif
    const std::uint32_t u = __builtin_bit_cast(std::uint32_t, x), sign = u >> 31 << 15;
    return static_cast<std::uint16_t>(sign | rounded_magnitude(u & 0x7fffffffu));
  }
  static constexpr KROTON_HD std::uint32_t rounded_magnitude(std::uint32_t u) {
    if (u > 0x7f800000u) return infinity | 1u << (fraction_bits - 1) | (u & 0x7fffffu) >> dropped;  // NaN stays NaN
    if (u >= rebias + (least_normal << dropped)) {
      const std::uint32_t nearest = (u - rebias + (1u << (dropped - 1)) - 1 + (u >> dropped & 1)) >> dropped;
      return nearest < infinity ? nearest : infinity;
    }
    // Adding a float whose last bit is worth `least` rounds to multiples of that.
    constexpr float unit = least * 0x1p23f;
    return __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, u) + unit) -
           __builtin_bit_cast(std::uint32_t, unit);
  }

  std::uint16_t bits_;
};
}  // namespace arithmetic

/// IEEE 754 binary16: 11 significant bits, up to 65,504.
class half : public arithmetic::short_float<half, 5> {
 public:
  using short_float::short_float;
};
/// The upper half of a float: 8 significant bits, and the range of float.
class bfloat16 : public arithmetic::short_float<bfloat16, 8> {
 public:
  using short_float::short_float;
};

namespace arithmetic {
template <class T>
concept short_floating = std::same_as<T, half> || std::same_as<T, bfloat16>;
}  // namespace arithmetic

}  // namespace kroton

/// The limits of `half` and `bfloat16`.
template <kroton::arithmetic::short_floating T>
class std::numeric_limits<T> {
  static constexpr int fraction = T::fraction_bits;
  static constexpr T bits(int b) { return T::from_bits(static_cast<std::uint16_t>(b)); }

 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false,
                        has_infinity = true, has_quiet_NaN = true, is_iec559 = true, is_bounded = true;
  static constexpr int radix = 2, digits = fraction + 1, max_exponent = 1 << (T::exponent_bits - 1),
                       min_exponent = 3 - max_exponent;
  static constexpr T min() { return bits(1 << fraction); }
  static constexpr T max() { return bits(0x7fff - (1 << fraction)); }
  static constexpr T lowest() { return bits(0xffff - (1 << fraction)); }
  static constexpr T epsilon() { return T(1.0f / static_cast<float>(1 << fraction)); }
  static constexpr T denorm_min() { return bits(1); }
  static constexpr T infinity() { return bits(0x8000 - (1 << fraction)); }
  static constexpr T quiet_NaN() { return bits(0x8000 - (1 << (fraction - 1))); }
};
