// This header takes numbers apart into a power of two and a mantissa, and puts them together again.
#pragma once

#include <kroton/arithmetic/simd/polynomial.hpp>

namespace kroton::simd {

// AVX-512 has instructions for both ways, which get denormal numbers, infinities and NaN right.
#if defined(__AVX512F__) && defined(__AVX512VL__)
inline constexpr bool has_exponents = true;
#else
inline constexpr bool has_exponents = false;
#endif

#if defined(__AVX512F__) && defined(__AVX512VL__)
/// The instruction for the size and type of a register: x * 2^floor(n).
template <class T, class Arch>
KROTON_INLINE xsimd::batch<T, Arch> scale_part(const xsimd::batch<T, Arch>& x,
                                               const xsimd::batch<T, Arch>& n) noexcept {
  constexpr bool single = std::same_as<T, float>;
  if constexpr (sizeof(x) == 64 && single) return _mm512_scalef_ps(x, n);
  else if constexpr (sizeof(x) == 64) return _mm512_scalef_pd(x, n);
  else if constexpr (sizeof(x) == 32 && single) return _mm256_scalef_ps(x, n);
  else if constexpr (sizeof(x) == 32) return _mm256_scalef_pd(x, n);
  else if constexpr (single) return _mm_scalef_ps(x, n);
  else return _mm_scalef_pd(x, n);
}

/// floor(log2|x|); -inf for 0, and |x| for what is not finite.
template <class T, class Arch>
KROTON_INLINE xsimd::batch<T, Arch> exponent_part(const xsimd::batch<T, Arch>& x) noexcept {
  constexpr bool single = std::same_as<T, float>;
  if constexpr (sizeof(x) == 64 && single) return _mm512_getexp_ps(x);
  else if constexpr (sizeof(x) == 64) return _mm512_getexp_pd(x);
  else if constexpr (sizeof(x) == 32 && single) return _mm256_getexp_ps(x);
  else if constexpr (sizeof(x) == 32) return _mm256_getexp_pd(x);
  else if constexpr (single) return _mm_getexp_ps(x);
  else return _mm_getexp_pd(x);
}

/// x times the power of two that brings it into [3/4, 3/2); NaN for x < 0, and 1 or -1 for 0 and infinity.
template <class T, class Arch>
KROTON_INLINE xsimd::batch<T, Arch> mantissa_part(const xsimd::batch<T, Arch>& x) noexcept {
  constexpr bool single = std::same_as<T, float>;
  if constexpr (sizeof(x) == 64 && single) return _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
  else if constexpr (sizeof(x) == 64) return _mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
  else if constexpr (sizeof(x) == 32 && single) return _mm256_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
  else if constexpr (sizeof(x) == 32) return _mm256_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
  else if constexpr (single) return _mm_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
  else return _mm_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
}
#endif

/// The number that, when added, leaves the nearest whole number in the lowest bits of the sum, with the bias
/// of exponents added to it.
template <real T>
inline constexpr T to_whole = std::same_as<T, float> ? T(0x1.8p23 + 127) : T(0x1.8p52 + 1023);

/// `function` of the bits of each register, as unsigned integers.
template <real_pack P, class Function>
KROTON_INLINE P map_bits(Function function, const P& x) noexcept {
  using T = typename P::value_type;
  using integers = xsimd::batch<unsigned_of<sizeof(T)>, typename P::part_type::arch_type>;
  return map_parts<P>(
      [=](const auto& v) {
        return std::bit_cast<typename P::part_type>(integers(function(std::bit_cast<integers>(v))));
      },
      x);
}

/// 2^(shifted - to_whole), where that is neither denormal nor infinite.
template <real_pack P>
KROTON_INLINE P power_of_two(const P& shifted) noexcept {
  return map_bits([](const auto& bits) { return bits << (std::numeric_limits<typename P::value_type>::digits - 1); },
                  shifted);
}

/// The powers of two that `scale` takes are the multiples of this: without the instruction, the square root
/// of the power is multiplied by twice.
inline constexpr int scale_step = has_exponents ? 1 : 2;

/// x * 2^(n * scale_step) for the whole number n = shifted - to_whole, rounded once, with the power at most a
/// few doublings out of the range of the type.
template <real_pack P>
KROTON_INLINE P scale(const P& x, const P& shifted) noexcept {
#if defined(__AVX512F__) && defined(__AVX512VL__)
  return map_parts<P>([](const auto& v, const auto& n) { return scale_part(v, n); }, x,
                      shifted - broadcast<P>(to_whole<typename P::value_type>));
#else
  const P factor = power_of_two(shifted);
  return x * factor * factor;
#endif
}

/// A number as mantissa * 2^exponent with the mantissa in [3/4, 3/2).
template <real_pack P>
struct number_parts {
  P mantissa, exponent;
};

/// The parts of x > 0; what they are of other numbers `log_limits` makes good.
template <real_pack P>
KROTON_INLINE number_parts<P> take_apart(const P& x) noexcept {
#if defined(__AVX512F__) && defined(__AVX512VL__)
  const P mantissa = map_parts<P>([](const auto& v) { return mantissa_part(v); }, x);
  const auto exponent = [](const P& p) { return map_parts<P>([](const auto& v) { return exponent_part(v); }, p); };
  return {mantissa, exponent(x) - exponent(mantissa)};
#else
  using T = typename P::value_type;
  using bits = unsigned_of<sizeof(T)>;
  constexpr int width = std::numeric_limits<T>::digits - 1;
  constexpr bits low = std::bit_cast<bits>(T(0.75)), up = std::bit_cast<bits>(T(1)) - low;
  constexpr T unit = T(bits{1} << width), bias = unit + std::numeric_limits<T>::max_exponent - 1;
  const auto denormal = x < broadcast<P>(std::numeric_limits<T>::min());
  const P normal = select(denormal, x * broadcast<P>(unit), x);
  const P mantissa = map_bits([=](const auto& b) { return ((b + up) & ((bits{1} << width) - 1)) + low; }, normal);
  const P biased = map_bits([=](const auto& b) { return ((b + up) >> width) | std::bit_cast<bits>(unit); }, normal);
  return {mantissa, biased - select(denormal, broadcast<P>(bias + width), broadcast<P>(bias))};
#endif
}

/// `logarithm` made from the parts of `x`, with -inf for 0, infinity for infinity, and NaN for x < 0 and NaN.
template <real_pack P>
KROTON_INLINE P log_limits([[maybe_unused]] const P& x, const P& logarithm) noexcept {
  if constexpr (has_exponents) {
    return logarithm;
  } else {
    using limits = std::numeric_limits<typename P::value_type>;
    const P zero = broadcast<P>(0), infinity = broadcast<P>(limits::infinity());
    const P pole = select(x == zero, -infinity, broadcast<P>(limits::quiet_NaN()));
    return select(x > zero, select(x < infinity, logarithm, x), pole);
  }
}

}  // namespace kroton::simd
