// This header moves packs of floats from and to 16-bit floats in memory.
#pragma once

#include <kroton/arithmetic/short_float.hpp>
#include <kroton/arithmetic/simd/memory.hpp>

namespace kroton::simd {

// Registers of 16-bit floats, as integers, to floats and back, rounded to nearest.
#if defined(__AVX512F__)
KROTON_INLINE __m512 widened(half, __m256i x) noexcept { return _mm512_cvtph_ps(x); }
KROTON_INLINE __m256i narrowed(half, __m512 x) noexcept {
  return _mm512_maskz_cvtps_ph(0xffff, x, _MM_FROUND_TO_NEAREST_INT);  // without a mask, g++ -O0 warns of its own -1
}
KROTON_INLINE __m512 widened(bfloat16, __m256i x) noexcept {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
}
KROTON_INLINE __m256i narrowed(bfloat16, __m512 x) noexcept {
  const __m512i u = _mm512_castps_si512(x), upper = _mm512_srli_epi32(u, 16);
  const __m512i odd = _mm512_and_si512(upper, _mm512_set1_epi32(1));
  const __m512i nearest = _mm512_srli_epi32(_mm512_add_epi32(u, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff))), 16);
  const __m512i quiet = _mm512_or_si512(upper, _mm512_set1_epi32(0x40));
  return _mm512_cvtepi32_epi16(_mm512_mask_mov_epi32(nearest, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), quiet));
}
#endif
#if defined(__F16C__)
KROTON_INLINE __m256 widened(half, __m128i x) noexcept { return _mm256_cvtph_ps(x); }
KROTON_INLINE __m128i narrowed(half, __m256 x) noexcept { return _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT); }
#endif

/// Whether the functions above take the registers of `P` for 16-bit floats of type `T`.
template <class T, class P>
concept has_short_registers = P::vectorised && requires(typename P::part_type x) {
  narrowed(T{}, x);
};

template <class T, int W>
using short_floats = std::array<T, static_cast<std::size_t>(W)>;

/// Every lane as a float.
template <int W, class T>
KROTON_INLINE pack<float, W> widen(const short_floats<T, W>& numbers) noexcept {
  using P = pack<float, W>;
  if constexpr (has_short_registers<T, P>) {
    const auto part = [&](std::size_t first) KROTON_INLINE_LAMBDA {
      decltype(narrowed(T{}, typename P::part_type{})) integers;
      std::memcpy(&integers, &numbers[first], sizeof integers);
      return typename P::part_type(widened(T{}, integers));
    };
    return [&]<std::size_t... Index>(std::index_sequence<Index...>) KROTON_INLINE_LAMBDA {
      return P{{part(Index * P::part_size)...}};
    }
    (std::make_index_sequence<P::parts>{});
  } else {
    std::array<float, static_cast<std::size_t>(W)> floats;
    for (std::size_t i = 0; i < floats.size(); ++i) floats[i] = numbers[i];
    return from_array<P>(floats);
  }
}

/// Every lane rounded to a `T`.
template <class T, int W>
KROTON_INLINE short_floats<T, W> narrow(const pack<float, W>& p) noexcept {
  using P = pack<float, W>;
  short_floats<T, W> numbers;
  if constexpr (has_short_registers<T, P>) {
    const auto write = [&](std::size_t first, const auto& part) KROTON_INLINE_LAMBDA {
      const auto integers = narrowed(T{}, part);
      std::memcpy(static_cast<void*>(&numbers[first]), &integers, sizeof integers);
    };
    [&]<std::size_t... Index>(std::index_sequence<Index...>) KROTON_INLINE_LAMBDA {
      (write(Index * P::part_size, p.part[Index]), ...);
    }
    (std::make_index_sequence<P::parts>{});
  } else {
    const auto floats = to_array(p);
    for (std::size_t i = 0; i < floats.size(); ++i) numbers[i] = T(floats[i]);
  }
  return numbers;
}

/// Every lane rounded to a `T`, as a float.
template <class T, int W>
KROTON_INLINE pack<float, W> rounded_to(const pack<float, W>& p) noexcept {
  return widen<W>(narrow<T>(p));
}

// As the functions on packs of memory.hpp.

template <any_pack P, short_floating T>
KROTON_INLINE P load(const T* from) noexcept {
  short_floats<T, P::size> numbers;
  std::memcpy(static_cast<void*>(&numbers), from, sizeof numbers);
  return widen<P::size>(numbers);
}

template <any_pack P, short_floating T>
KROTON_INLINE P load_strided(const T* from, std::ptrdiff_t stride, int count = P::size) noexcept {
  short_floats<T, P::size> numbers;
  for (int i = 0; i < P::size; ++i)
    numbers[static_cast<std::size_t>(i)] = count > 0 ? from[(i < count ? i : count - 1) * stride] : T(0);
  return widen<P::size>(numbers);
}

template <any_pack P, short_floating T>
KROTON_INLINE P load_partial(const T* from, int count) noexcept {
  return load_strided<P>(from, 1, count);
}

template <short_floating T, int W>
KROTON_INLINE void store_partial(T* to, const pack<float, W>& p, int count) noexcept {
  const auto numbers = narrow<T>(p);
  std::memcpy(static_cast<void*>(to), &numbers, static_cast<std::size_t>(count) * sizeof *to);
}

template <short_floating T, int W>
KROTON_INLINE void store(T* to, const pack<float, W>& p) noexcept {
  store_partial(to, p, W);
}

template <short_floating T, int W>
KROTON_INLINE void stream(T* to, const pack<float, W>& p) noexcept {
#if defined(__AVX__)
  const auto numbers = narrow<T>(p);
  if constexpr (sizeof numbers == 32)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), std::bit_cast<__m256i>(numbers));
  else store(to, p);
#else
  store(to, p);
#endif
}

template <short_floating T, int W>
KROTON_INLINE void store_strided(T* to, const pack<float, W>& p, std::ptrdiff_t stride, int count = W) noexcept {
  const auto numbers = narrow<T>(p);
  for (int i = 0; i < count; ++i) to[i * stride] = numbers[static_cast<std::size_t>(i)];
}

}  // namespace kroton::simd
