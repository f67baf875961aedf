// This header loads and stores the first few elements of one register, by an instruction where the target has it.
#pragma once

#include <kroton/arithmetic/simd/comparison.hpp>

namespace kroton::simd {

/// A register seen as one of 32-bit integers, for the intrinsics.
template <class T, class Arch>
KROTON_INLINE auto as_integers(const xsimd::batch<T, Arch>& x) noexcept {
  return std::bit_cast<xsimd::batch<std::int32_t, Arch>>(x);
}

#if defined(__AVX512F__)
template <class Part>
inline constexpr bool moves_by_bits = sizeof(Part) == 64 && sizeof(Part) / Part::size >= 4;

/// The mask of the first `count` elements, of which there are at most 16.
KROTON_INLINE __mmask16 first_of_16(int count) noexcept { return static_cast<__mmask16>((1u << count) - 1); }
#else
template <class Part>
inline constexpr bool moves_by_bits = false;
#endif

#if defined(__AVX2__)
template <class Part>
inline constexpr bool moves_by_signs = sizeof(Part) <= 32 && sizeof(Part) / Part::size >= 4;

/// Elements of `Bytes` bytes whose top bits are set in the first `count`, for the maskload and maskstore
/// instructions.
template <class Register, std::size_t Bytes>
KROTON_INLINE auto first_signs(int count) noexcept {
  if constexpr (sizeof(Register) == 32 && Bytes == 4)
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  else if constexpr (sizeof(Register) == 32)
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
  else if constexpr (Bytes == 4) return _mm_cmpgt_epi32(_mm_set1_epi32(count), _mm_setr_epi32(0, 1, 2, 3));
  else return _mm_cmpgt_epi64(_mm_set1_epi64x(count), _mm_set_epi64x(1, 0));
}
#else
template <class Part>
inline constexpr bool moves_by_signs = false;
#endif

/// A register from from[0] .. from[count-1] with 0 <= count <= its size; its other lanes become `rest`.
template <class Part, class T>
KROTON_INLINE Part load_first(const T* from, int count, T rest) noexcept {
  if constexpr (std::is_same_v<Part, T>) {
    return count > 0 ? *from : rest;
#if defined(__AVX512F__)
  } else if constexpr (moves_by_bits<Part>) {
    using integers = decltype(as_integers(Part()));
    const __mmask16 wanted = first_of_16(count);
    if constexpr (sizeof(T) == 4)
      return std::bit_cast<Part>(integers(_mm512_mask_loadu_epi32(as_integers(Part(rest)), wanted, from)));
    else
      return std::bit_cast<Part>(
          integers(_mm512_mask_loadu_epi64(as_integers(Part(rest)), static_cast<__mmask8>(wanted), from)));
#endif
#if defined(__AVX2__)
  } else if constexpr (moves_by_signs<Part>) {
    using integers = decltype(as_integers(Part()));
    const auto wanted = first_signs<Part, sizeof(T)>(count);
    const auto other = as_integers(Part(rest));
    const auto* ints = reinterpret_cast<const int*>(from);
    const auto* longs = reinterpret_cast<const long long*>(from);
    if constexpr (sizeof(Part) == 32 && sizeof(T) == 4)
      return std::bit_cast<Part>(integers(_mm256_blendv_epi8(other, _mm256_maskload_epi32(ints, wanted), wanted)));
    else if constexpr (sizeof(Part) == 32)
      return std::bit_cast<Part>(integers(_mm256_blendv_epi8(other, _mm256_maskload_epi64(longs, wanted), wanted)));
    else if constexpr (sizeof(T) == 4)
      return std::bit_cast<Part>(integers(_mm_blendv_epi8(other, _mm_maskload_epi32(ints, wanted), wanted)));
    else return std::bit_cast<Part>(integers(_mm_blendv_epi8(other, _mm_maskload_epi64(longs, wanted), wanted)));
#endif
  } else {
    std::array<T, Part::size> every;
    for (int i = 0; i < static_cast<int>(Part::size); ++i)
      every[static_cast<std::size_t>(i)] = i < count ? from[i] : rest;
    return std::bit_cast<Part>(every);
  }
}

/// Writes the first `count` elements of a register, 0 <= count <= its size, to to[0] .. to[count-1].
template <class T, class Part>
KROTON_INLINE void store_first(T* to, const Part& part, int count) noexcept {
  if constexpr (std::is_same_v<Part, T>) {
    if (count > 0) *to = part;
#if defined(__AVX512F__)
  } else if constexpr (moves_by_bits<Part>) {
    const __mmask16 wanted = first_of_16(count);
    if constexpr (sizeof(T) == 4) _mm512_mask_storeu_epi32(to, wanted, as_integers(part));
    else _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(wanted), as_integers(part));
#endif
#if defined(__AVX2__)
  } else if constexpr (moves_by_signs<Part>) {
    const auto wanted = first_signs<Part, sizeof(T)>(count);
    auto* ints = reinterpret_cast<int*>(to);
    auto* longs = reinterpret_cast<long long*>(to);
    if constexpr (sizeof(Part) == 32 && sizeof(T) == 4) _mm256_maskstore_epi32(ints, wanted, as_integers(part));
    else if constexpr (sizeof(Part) == 32) _mm256_maskstore_epi64(longs, wanted, as_integers(part));
    else if constexpr (sizeof(T) == 4) _mm_maskstore_epi32(ints, wanted, as_integers(part));
    else _mm_maskstore_epi64(longs, wanted, as_integers(part));
#endif
  } else {
    const auto every = std::bit_cast<std::array<T, Part::size>>(part);
    for (int i = 0; i < count; ++i) to[i] = every[static_cast<std::size_t>(i)];
  }
}

#if defined(__AVX512F__)
/// Writes the first `count` elements of a register to to[0], to[2], ...
template <class T, class Part>
KROTON_INLINE void store_every_second(T* to, const Part& part, int count) noexcept {
  const __m512i x = as_integers(part);
  const std::uint64_t bits = first_bits(static_cast<std::size_t>(2 * count)) & 0x55555555;
  if constexpr (sizeof(T) == 4) {  // zeros, which are not written, follow each element
    const __m512i low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(x)),
                  high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(x, 1));
    _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(bits), low);
    _mm512_mask_storeu_epi32(to + 16, static_cast<__mmask16>(bits >> 16), high);
  } else {
    const __m512i low = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3), x),
                  high = _mm512_permutexvar_epi64(_mm512_setr_epi64(4, 4, 5, 5, 6, 6, 7, 7), x);
    _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(bits), low);
    _mm512_mask_storeu_epi64(to + 8, static_cast<__mmask8>(bits >> 8), high);
  }
}
#endif

}  // namespace kroton::simd
