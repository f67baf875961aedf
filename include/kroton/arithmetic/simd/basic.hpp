// This header has functions of a few instructions: magnitude, sign, the smaller and the larger, rounding, square root,
// fused product and sum.
#pragma once

#include <kroton/arithmetic/simd/arithmetic.hpp>
#include <kroton/arithmetic/simd/comparison.hpp>

namespace kroton::simd {

/// `vector` of each register, or `single` of each number if there are none.
template <any_pack P, class Vector, class Single, class... More>
KROTON_INLINE P map_either(Vector vector, Single single, const P& p, const More&... more) noexcept {
  if constexpr (P::vectorised) return map_parts<P>(vector, p, more...);
  else return map_parts<P>(single, p, more...);
}

template <real_pack P>
KROTON_INLINE auto isnan(const P& x) noexcept {
  return x != x;
}

/// |x|; of the smallest integer, itself.
template <any_pack P>
KROTON_INLINE P abs(const P& x) noexcept {
  using T = typename P::value_type;
  if constexpr (real<T>)
    return map_either([](const auto& v) KROTON_INLINE_LAMBDA { return xsimd::abs(v); },
                      [](T v) { return std::fabs(v); }, x);
  else if constexpr (std::is_signed_v<T>) return select(x < broadcast<P>(T{0}), -x, x);
  else return x;
}

template <real_pack P>
KROTON_INLINE auto isinf(const P& x) noexcept {
  return abs(x) == broadcast<P>(std::numeric_limits<typename P::value_type>::infinity());
}

template <real_pack P>
KROTON_INLINE auto isfinite(const P& x) noexcept {
  return abs(x) < broadcast<P>(std::numeric_limits<typename P::value_type>::infinity());
}

#if defined(__SSE2__)
/// Whether the target's own minimum and maximum return the second number if either is NaN or both are equal.
inline constexpr bool second_if_unordered = true;
#else
inline constexpr bool second_if_unordered = false;
#endif

/// The smaller of two numbers, NaN if either is, the first of equals.
template <any_pack P>
KROTON_INLINE P minimum(const P& a, const P& b) noexcept {
  if constexpr (real_pack<P> && P::vectorised && second_if_unordered)
    return select(  // `b != b` takes an instruction more
        b == b, map_parts<P>([](const auto& x, const auto& y) KROTON_INLINE_LAMBDA { return xsimd::min(x, y); }, b, a),
        b);
  else if constexpr (real_pack<P>) return select((b < a) | isnan(b), b, a);
  else return select(b < a, b, a);
}

/// The larger of two numbers, NaN if either is, the first of equals.
template <any_pack P>
KROTON_INLINE P maximum(const P& a, const P& b) noexcept {
  if constexpr (real_pack<P> && P::vectorised && second_if_unordered)
    return select(  // `b != b` takes an instruction more
        b == b, map_parts<P>([](const auto& x, const auto& y) KROTON_INLINE_LAMBDA { return xsimd::max(x, y); }, b, a),
        b);
  else if constexpr (real_pack<P>) return select((a < b) | isnan(b), b, a);
  else return select(a < b, b, a);
}

/// -1, 0 or 1; a NaN and the zeros are returned as they are.
template <any_pack P>
KROTON_INLINE P sign(const P& x) noexcept {
  using T = typename P::value_type;
  const P zero = broadcast<P>(T{0});
  const P positive = select(x > zero, broadcast<P>(T{1}), x);
  if constexpr (std::is_signed_v<T>) return select(x < zero, broadcast<P>(T{-1}), positive);
  else return positive;
}

/// `magnitude` with the sign of `sign_of`.
template <real_pack P>
KROTON_INLINE P copysign(const P& magnitude, const P& sign_of) noexcept {
  using T = typename P::value_type;
  return map_either([](const auto& m, const auto& s) KROTON_INLINE_LAMBDA { return xsimd::copysign(m, s); },
                    [](T m, T s) { return std::copysign(m, s); }, magnitude, sign_of);
}

template <real_pack P>
KROTON_INLINE P sqrt(const P& x) noexcept {
  return map_either([](const auto& v) KROTON_INLINE_LAMBDA { return xsimd::sqrt(v); },
                    [](auto v) { return std::sqrt(v); }, x);
}

#if defined(__FMA__) || defined(__AVX512F__) || defined(__aarch64__)
inline constexpr bool fma_is_fused = true;
#else
inline constexpr bool fma_is_fused = false;
#endif

/// x * y + z of registers. xsimd 8.1 has no fused form of it for AVX-512, nor for the small registers beside
/// larger ones.
template <class T, class Arch>
KROTON_INLINE xsimd::batch<T, Arch> part_fma(const xsimd::batch<T, Arch>& x, const xsimd::batch<T, Arch>& y,
                                             const xsimd::batch<T, Arch>& z) noexcept {
  [[maybe_unused]] constexpr bool single = std::same_as<T, float>;
#if defined(__AVX512F__)
  if constexpr (sizeof(x) == 64 && single) return _mm512_fmadd_ps(x, y, z);
  else if constexpr (sizeof(x) == 64) return _mm512_fmadd_pd(x, y, z);
  else
#endif
#if defined(__FMA__)
      if constexpr (sizeof(x) == 32 && single)
    return _mm256_fmadd_ps(x, y, z);
  else if constexpr (sizeof(x) == 32) return _mm256_fmadd_pd(x, y, z);
  else if constexpr (single) return _mm_fmadd_ps(x, y, z);
  else return _mm_fmadd_pd(x, y, z);
#else
  return xsimd::fma(x, y, z);
#endif
}

/// a * b + c, rounded once where the hardware does that and twice where it does not.
template <real_pack P>
KROTON_INLINE P fma(const P& a, const P& b, const P& c) noexcept {
  return map_either([](const auto& x, const auto& y, const auto& z) KROTON_INLINE_LAMBDA { return part_fma(x, y, z); },
                    [](auto x, auto y, auto z) {
                      if constexpr (fma_is_fused) return std::fma(x, y, z);
                      else return x * y + z;  // std::fma would compute the exact result in software
                    },
                    a, b, c);
}

/// A value that was rounded to a whole number, with the sign of `x` if it is a zero. xsimd 8.1 drops that sign on
/// SSE2.
template <real_pack P>
KROTON_INLINE P keep_sign_of_zero(const P& rounded, [[maybe_unused]] const P& x) noexcept {
#if defined(__SSE2__) && !defined(__SSE4_1__)
  return copysign(rounded, x);
#else
  return rounded;
#endif
}

template <real_pack P>
KROTON_INLINE P floor(const P& x) noexcept {
  return keep_sign_of_zero(map_either([](const auto& v) KROTON_INLINE_LAMBDA { return xsimd::floor(v); },
                                      [](auto v) { return std::floor(v); }, x),
                           x);
}

template <real_pack P>
KROTON_INLINE P ceil(const P& x) noexcept {
  return keep_sign_of_zero(map_either([](const auto& v) KROTON_INLINE_LAMBDA { return xsimd::ceil(v); },
                                      [](auto v) { return std::ceil(v); }, x),
                           x);
}

template <real_pack P>
KROTON_INLINE P trunc(const P& x) noexcept {
  return keep_sign_of_zero(map_either([](const auto& v) KROTON_INLINE_LAMBDA { return xsimd::trunc(v); },
                                      [](auto v) { return std::trunc(v); }, x),
                           x);
}

/// To the nearest whole number, halves to the even one.
template <real_pack P>
KROTON_INLINE P round_half_even(const P& x) noexcept {
  return keep_sign_of_zero(map_either([](const auto& v) KROTON_INLINE_LAMBDA { return xsimd::nearbyint(v); },
                                      [](auto v) { return std::nearbyint(v); }, x),
                           x);
}

/// To the nearest whole number, halves away from zero. (xsimd 8.1 compiled by clang 19 rounds NaN to 0.)
template <real_pack P>
KROTON_INLINE P round(const P& x) noexcept {
  using T = typename P::value_type;
  const P whole = trunc(x);  // and what trunc takes away is exact
  return select(abs(x - whole) >= broadcast<P>(T(0.5)), whole + copysign(broadcast<P>(T{1}), x), whole);
}

}  // namespace kroton::simd
