// This header moves packs and masks from and to memory: whole, the first few lanes only, or with a stride. Only streams
// need alignment.
#pragma once

#include <kroton/arithmetic/simd/masked_moves.hpp>

namespace kroton::simd {

/// The numbers at from[0] .. from[W-1].
template <any_pack P>
KROTON_INLINE P load(const typename P::value_type* from) noexcept {
  return [&]<std::size_t... Index>(std::index_sequence<Index...>) KROTON_INLINE_LAMBDA {
    if constexpr (P::vectorised) return P{{P::part_type::load_unaligned(from + Index * P::part_size)...}};
    else return P{{from[Index]...}};
  }
  (std::make_index_sequence<P::parts>{});
}

/// Writes to[0] .. to[W-1].
template <class T, int W>
KROTON_INLINE void store(std::type_identity_t<T>* to, const pack<T, W>& p) noexcept {
  using P = pack<T, W>;
  [&]<std::size_t... Index>(std::index_sequence<Index...>) KROTON_INLINE_LAMBDA {
    if constexpr (P::vectorised) (p.part[Index].store_unaligned(to + Index * P::part_size), ...);
    else ((to[Index] = p.part[Index]), ...);
  }
  (std::make_index_sequence<P::parts>{});
}

/// Writes a register to an address that is a multiple of its size, past the caches where the target can.
template <class Part, class T>
KROTON_INLINE void stream_part(T* to, const Part& part) noexcept {
#if defined(__AVX512F__)
  if constexpr (sizeof(Part) == 64) return _mm512_stream_si512(reinterpret_cast<__m512i*>(to), as_integers(part));
#endif
#if defined(__AVX__)
  if constexpr (sizeof(Part) == 32) return _mm256_stream_si256(reinterpret_cast<__m256i*>(to), as_integers(part));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(Part) == 16) return _mm_stream_si128(reinterpret_cast<__m128i*>(to), as_integers(part));
#endif
  part.store_unaligned(to);
}

/// Writes to[0] .. to[W-1] without reading them into the caches first, which pays for results larger than
/// these. `to` must be aligned as the registers of the pack are. A fence() must follow before other threads
/// read.
template <class T, int W>
KROTON_INLINE void stream(std::type_identity_t<T>* to, const pack<T, W>& p) noexcept {
  using P = pack<T, W>;
  if constexpr (P::vectorised) [&]<std::size_t... Index>(std::index_sequence<Index...>) KROTON_INLINE_LAMBDA {
      (stream_part(to + Index * P::part_size, p.part[Index]), ...);
    }
  (std::make_index_sequence<P::parts>{});
  else store(to, p); }

/// Makes what was streamed visible to other threads before anything that is written later.
KROTON_INLINE void fence() noexcept {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// How many of the first `count` lanes are in the register that starts at lane `begin`.
template <any_pack P>
KROTON_INLINE constexpr int count_in_part(int count, std::size_t begin) noexcept {
  const int here = count - static_cast<int>(begin);
  return here < 0 ? 0 : here < P::part_size ? here : P::part_size;
}

/// The numbers at from[0] .. from[count-1], 0 <= count <= W; nothing beyond is read. The other lanes repeat
/// the last number (or 0), so that what is computed in them is nothing special.
template <any_pack P>
KROTON_INLINE P load_partial(const typename P::value_type* from, int count) noexcept {
  using T = typename P::value_type;
  const T rest = count > 0 ? from[count - 1] : T{0};
  return [&]<std::size_t... Index>(std::index_sequence<Index...>) KROTON_INLINE_LAMBDA {
    return P{{load_first<typename P::part_type>(from + Index * P::part_size,
                                                count_in_part<P>(count, Index * P::part_size), rest)...}};
  }
  (std::make_index_sequence<P::parts>{});
}

/// Writes the first `count` lanes, 0 <= count <= W, to to[0] .. to[count-1].
template <class T, int W>
KROTON_INLINE void store_partial(std::type_identity_t<T>* to, const pack<T, W>& p, int count) noexcept {
  using P = pack<T, W>;
  [&]<std::size_t... Index>(std::index_sequence<Index...>) KROTON_INLINE_LAMBDA {
    (store_first(to + Index * P::part_size, p.part[Index], count_in_part<P>(count, Index * P::part_size)), ...);
  }
  (std::make_index_sequence<P::parts>{});
}

/// The numbers at from[0], from[stride] .. from[(count-1)*stride]; the other lanes as in load_partial.
template <any_pack P>
KROTON_INLINE P load_strided(const typename P::value_type* from, std::ptrdiff_t stride, int count = P::size) noexcept {
  using T = typename P::value_type;
  std::array<T, P::size> numbers;
  const T rest = count > 0 ? from[(count - 1) * stride] : T{0};
  for (int i = 0; i < P::size; ++i) numbers[static_cast<std::size_t>(i)] = i < count ? from[i * stride] : rest;
  return from_array<P>(numbers);
}

/// The numbers at from[0], from[2] .. from[2 * (count - 1)]; nothing beyond the last is read. The other lanes are any
/// numbers nearby, or 0.
template <real_pack P>
KROTON_INLINE P load_every_second(const typename P::value_type* from, int count = P::size) noexcept {
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector) && !defined(__CUDACC__)
  if constexpr (P::vectorised && P::parts == 1)
    return [&]<int... I>(std::integer_sequence<int, I...>) KROTON_INLINE_LAMBDA {
      using part = typename P::part_type;
      using T = typename P::value_type;
      const auto first = [&](const T* start, int size) KROTON_INLINE_LAMBDA {
        return size >= P::size ? part::load_unaligned(start) : load_first<part>(start, std::max(0, size), T{});
      };
      // the second register begins with the last number of the first
      const part low = first(from, 2 * count - 1), high = first(from + P::size - 1, 2 * count - P::size);
      return P{{part(__builtin_shufflevector(low.data, high.data, (I < P::size / 2 ? 2 * I : 2 * I + 1)...))}};
    }
  (std::make_integer_sequence<int, P::size>());
#endif
#endif
  return load_strided<P>(from, 2, count);
}

/// Writes the first `count` lanes to to[0], to[stride], ...
template <class T, int W>
KROTON_INLINE void store_strided(std::type_identity_t<T>* to, const pack<T, W>& p, std::ptrdiff_t stride,
                                 int count = W) noexcept {
#if defined(__AVX512F__)
  if constexpr (pack<T, W>::vectorised && pack<T, W>::parts == 1)
    if constexpr (moves_by_bits<typename pack<T, W>::part_type>)
      if (stride == 2) return store_every_second(to, p.part[0], count);
#endif
  const auto numbers = to_array(p);
  for (int i = 0; i < count; ++i) to[i * stride] = numbers[static_cast<std::size_t>(i)];
}

// In memory a truth value is a bool of one byte, 0 or 1. Eight of them at a time are gathered into bits, and
// spread from them.

/// The truth values at from[0] .. from[count-1]; the other lanes repeat the last one, or are false.
template <any_mask M>
KROTON_INLINE M load_mask_partial(const bool* from, int count) noexcept {
  std::uint64_t bits = 0;
  for (int i = 0; i < count; ++i) bits |= std::uint64_t{from[i]} << i;
  if (count > 0 && from[count - 1]) bits |= ~first_bits(static_cast<std::size_t>(count));
  return from_bits<M>(bits);
}

/// The truth values at from[0] .. from[W-1].
template <any_mask M>
KROTON_INLINE M load_mask(const bool* from) noexcept {
  if constexpr (M::size < 8) {
    return load_mask_partial<M>(from, M::size);
  } else {
    std::uint64_t bits = 0;
    for (int i = 0; i < M::size; i += 8) {
      std::uint64_t eight;
      std::memcpy(&eight, from + i, 8);
      bits |= gather_bits(eight) << i;
    }
    return from_bits<M>(bits);
  }
}

/// The truth values at from[0], from[stride] .. from[(count-1)*stride]; the other lanes repeat the last one,
/// or are false.
template <any_mask M>
KROTON_INLINE M load_mask_strided(const bool* from, std::ptrdiff_t stride, int count = M::size) noexcept {
  std::array<bool, M::size> values{};
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = from[i * stride];
  return load_mask_partial<M>(values.data(), count);
}

/// Writes the first `count` lanes to to[0] .. to[count-1].
template <int Bytes, int W>
KROTON_INLINE void store_partial(bool* to, const mask<Bytes, W>& m, int count) noexcept {
  const std::uint64_t bits = to_bits(m);
  for (int i = 0; i < count; ++i) to[i] = (bits >> i & 1) != 0;
}

/// Writes to[0] .. to[W-1].
template <int Bytes, int W>
KROTON_INLINE void store(bool* to, const mask<Bytes, W>& m) noexcept {
  if constexpr (W < 8) {
    store_partial(to, m, W);
  } else {
    const std::uint64_t bits = to_bits(m);
    for (int i = 0; i < W; i += 8) {
      const std::uint64_t eight = spread_bits(bits >> i);
      std::memcpy(to + i, &eight, 8);
    }
  }
}

/// As for packs, for kernels that do not ask what they write; truth values are too small to gain from it.
template <int Bytes, int W>
KROTON_INLINE void stream(bool* to, const mask<Bytes, W>& m) noexcept {
  store(to, m);
}

/// Writes the first `count` lanes to to[0], to[stride], ...
template <int Bytes, int W>
KROTON_INLINE void store_strided(bool* to, const mask<Bytes, W>& m, std::ptrdiff_t stride, int count = W) noexcept {
  const std::uint64_t bits = to_bits(m);
  for (int i = 0; i < count; ++i) to[i * stride] = (bits >> i & 1) != 0;
}

}  // namespace kroton::simd
