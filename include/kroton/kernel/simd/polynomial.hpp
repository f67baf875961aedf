// Polynomials, and the other pieces that the elementary functions are made of.
#pragma once

#include <kroton/kernel/simd/guard.hpp>

namespace kroton::simd {

// All coefficients in this folder are made with mpmath at 60 digits: least squares over Chebyshev nodes,
// reweighted until the relative error is level (Lawson's iteration), rounded to the type one after another
// from the lowest power with the others fitted again. They are listed from the highest power.

/// A polynomial by Horner's rule, highest power first.
template <real_pack P, std::size_t Count>
P polynomial(const P& x, const std::array<typename P::value_type, Count>& coefficients) noexcept {
  P sum = broadcast<P>(coefficients[0]);
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    ((sum = fma(sum, x, broadcast<P>(coefficients[Index + 1]))), ...);
  }
  (std::make_index_sequence<Count - 1>{});
  return sum;
}

/// `x`, or the bound that it is beyond; a NaN stays. Two instructions, unlike comparing and selecting.
template <real_pack P>
P bounded(const P& x, typename P::value_type low, typename P::value_type high) noexcept {
  static_assert(P::vectorised);
  using part = typename P::part_type;  // x86 returns the second operand if either is NaN
  return map_parts<P>([=](const part& v) { return xsimd::max(part(low), xsimd::min(part(high), v)); }, x);
}

#if defined(__AVX512F__) && defined(__AVX512VL__)
inline constexpr bool has_scale = true;
#else
inline constexpr bool has_scale = false;
#endif

/// The number that, when added, leaves the nearest whole number in the lowest bits of the sum, with the bias
/// of exponents added to it.
template <real T>
inline constexpr T to_whole = std::same_as<T, float> ? T(0x1.8p23 + 127) : T(0x1.8p52 + 1023);

/// What powers of two are made in: one instruction scales by any of them, with denormal numbers, overflow,
/// and zero times whatever for 2^-inf all right. Elsewhere the square root of the power is multiplied by
/// twice.
inline constexpr int scale_step = has_scale ? 1 : 2;

/// x * 2^(n * scale_step), rounded once, for the whole number n = `shifted` - to_whole, where the power is at
/// most a few doublings out of the range of the type.
template <real_pack P>
P scale(const P& x, [[maybe_unused]] const P& shifted) noexcept {
  using T = typename P::value_type;
#if defined(__AVX512F__) && defined(__AVX512VL__)
  return map_parts<P>(
      [](const auto& v, const auto& n) -> typename P::part_type {
        constexpr bool single = std::same_as<T, float>;
        if constexpr (sizeof(v) == 64 && single)
          return _mm512_scalef_ps(v, n);
        else if constexpr (sizeof(v) == 64)
          return _mm512_scalef_pd(v, n);
        else if constexpr (sizeof(v) == 32 && single)
          return _mm256_scalef_ps(v, n);
        else if constexpr (sizeof(v) == 32)
          return _mm256_scalef_pd(v, n);
        else if constexpr (single)
          return _mm_scalef_ps(v, n);
        else
          return _mm_scalef_pd(v, n);
      },
      x, shifted - broadcast<P>(to_whole<T>));
#else
  const P factor = map_parts<P>(
      [](const auto& s) {
        using integers = xsimd::as_integer_t<typename P::part_type>;
        return std::bit_cast<typename P::part_type>(std::bit_cast<integers>(s)
                                                    << (std::numeric_limits<T>::digits - 1));
      },
      shifted);
  return x * factor * factor;
#endif
}

}  // namespace kroton::simd
