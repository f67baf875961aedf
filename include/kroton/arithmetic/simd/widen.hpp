// This header makes registers of doubles from registers of floats and back, for which xsimd has no function.
#pragma once

#include <kroton/arithmetic/simd/pack.hpp>

namespace kroton::simd {

// For each width: the doubles of a register of as many floats, the floats of such doubles, and the halves of
// a register.
#if defined(__AVX512F__)
KROTON_INLINE __m512d widen(__m256 x) noexcept { return _mm512_cvtps_pd(x); }
KROTON_INLINE __m256 narrow(__m512d x) noexcept { return _mm512_cvtpd_ps(x); }
KROTON_INLINE __m256 low_half(__m512 x) noexcept { return _mm512_castps512_ps256(x); }
KROTON_INLINE __m256 high_half(__m512 x) noexcept {
  return _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1));
}
KROTON_INLINE __m512 join(__m256 low, __m256 high) noexcept {
  return _mm512_castpd_ps(_mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(low)), _mm256_castps_pd(high), 1));
}
#endif
#if defined(__AVX__)
KROTON_INLINE __m256d widen(__m128 x) noexcept { return _mm256_cvtps_pd(x); }
KROTON_INLINE __m128 narrow(__m256d x) noexcept { return _mm256_cvtpd_ps(x); }
KROTON_INLINE __m128 low_half(__m256 x) noexcept { return _mm256_castps256_ps128(x); }
KROTON_INLINE __m128 high_half(__m256 x) noexcept { return _mm256_extractf128_ps(x, 1); }
KROTON_INLINE __m256 join(__m128 low, __m128 high) noexcept {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}
#elif defined(__SSE2__)
// Two floats are half of the smallest register; they stay in one of full width.
KROTON_INLINE __m128d widen(__m128 x) noexcept { return _mm_cvtps_pd(x); }
KROTON_INLINE __m128 narrow(__m128d x) noexcept { return _mm_cvtpd_ps(x); }
KROTON_INLINE __m128 low_half(__m128 x) noexcept { return x; }
KROTON_INLINE __m128 high_half(__m128 x) noexcept { return _mm_movehl_ps(x, x); }
KROTON_INLINE __m128 join(__m128 low, __m128 high) noexcept { return _mm_movelh_ps(low, high); }
#endif

/// Whether W floats and W doubles are both in registers that the functions above take.
template <int W>
inline constexpr bool has_widening =
#if defined(__SSE2__)
    (pack<float, W>::vectorised) && (pack<double, W>::vectorised);
#else
    false;
#endif

/// The registers `Index` .. of W doubles from W floats.
template <int W>
KROTON_INLINE pack<double, W> widen(const pack<float, W>& p) noexcept {
  using from = pack<float, W>;
  using to = pack<double, W>;
  return [&]<std::size_t... Index>(std::index_sequence<Index...>) KROTON_INLINE_LAMBDA {
    if constexpr (from::parts == to::parts) return to{{widen(p.part[Index])...}};
    else return to{{(Index % 2 == 0 ? widen(low_half(p.part[Index / 2])) : widen(high_half(p.part[Index / 2])))...}};
  }
  (std::make_index_sequence<to::parts>{});
}

/// W floats from W doubles, rounded to nearest.
template <int W>
KROTON_INLINE pack<float, W> narrow(const pack<double, W>& p) noexcept {
  using from = pack<double, W>;
  using to = pack<float, W>;
  return [&]<std::size_t... Index>(std::index_sequence<Index...>) KROTON_INLINE_LAMBDA {
    if constexpr (from::parts == to::parts) return to{{narrow(p.part[Index])...}};
    else return to{{join(narrow(p.part[2 * Index]), narrow(p.part[2 * Index + 1]))...}};
  }
  (std::make_index_sequence<to::parts>{});
}

}  // namespace kroton::simd
