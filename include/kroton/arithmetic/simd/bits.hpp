// This header has masks as the bits of one integer, which is how they change element size and get from and to memory.
#pragma once

#include <cstring>

#include <kroton/arithmetic/simd/pack.hpp>

namespace kroton::simd {

/// The lowest `count` bits.
constexpr std::uint64_t first_bits(std::size_t count) noexcept {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// The unsigned integer of a size.
template <std::size_t Bytes>
using unsigned_of = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// Whether a comparison result is held as a bit for each element (AVX-512), or a bool, and not as a register.
template <class Part>
inline constexpr bool held_as_bits = sizeof(Part) <= 8;

/// Bit i says whether element i of a comparison holds.
constexpr std::uint64_t part_bits(bool condition) noexcept { return condition; }

#if defined(__SSE2__)
/// The top bits of the elements of a register of comparison results, each of which is all ones or all zeros.
template <class T>
KROTON_INLINE std::uint64_t sign_bits(__m128i every) noexcept {
  if constexpr (sizeof(T) == 8) return static_cast<std::uint64_t>(_mm_movemask_pd(_mm_castsi128_pd(every)));
  else if constexpr (sizeof(T) == 4) return static_cast<std::uint64_t>(_mm_movemask_ps(_mm_castsi128_ps(every)));
  else if constexpr (sizeof(T) == 2)
    return static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_packs_epi16(every, _mm_setzero_si128())));
  else return static_cast<std::uint64_t>(_mm_movemask_epi8(every));
}
#endif

template <class T, class Arch>
KROTON_INLINE std::uint64_t part_bits(const xsimd::batch_bool<T, Arch>& condition) noexcept {
  using bool_type = xsimd::batch_bool<T, Arch>;
  if constexpr (held_as_bits<bool_type>) {
    return std::bit_cast<unsigned_of<sizeof(bool_type)>>(condition) & first_bits(bool_type::size);
  } else if constexpr (requires { condition.mask(); }) {
    return condition.mask();  // xsimd 9 and later
#if defined(__SSE2__)
  } else if constexpr (sizeof(bool_type) == 16) {
    return sign_bits<T>(std::bit_cast<xsimd::batch<std::int32_t, xsimd::sse2>>(condition));
  } else if constexpr (sizeof(bool_type) == 32) {
    struct halves {
      xsimd::batch<std::int32_t, xsimd::sse2> low, high;
    };
    const auto [low, high] = std::bit_cast<halves>(condition);
    return sign_bits<T>(low) | sign_bits<T>(high) << (bool_type::size / 2);
#endif
  } else {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < bool_type::size; ++i) out |= std::uint64_t{condition.get(i)} << i;
    return out;
  }
}

/// Bit i of the result is lane i of the mask.
template <int Bytes, int W>
KROTON_INLINE std::uint64_t to_bits(const mask<Bytes, W>& m) noexcept {
  using M = mask<Bytes, W>;
  return [&]<std::size_t... Index>(std::index_sequence<Index...>) KROTON_INLINE_LAMBDA {
    return ((part_bits(m.part[Index]) << (Index * M::part_size)) | ...);
  }
  (std::make_index_sequence<M::parts>{});
}

/// Eight bytes of 0 or 1 from eight bits, the lowest bit to the first byte in memory.
constexpr std::uint64_t spread_bits(std::uint64_t bits) noexcept {
  static_assert(std::endian::native == std::endian::little);
  // Byte i of the product is the eight bits; keep its bit i, and carry that to the top of the byte.
  const std::uint64_t one_each = ((bits & 0xff) * 0x0101010101010101) & 0x8040201008040201;
  return ((one_each + 0x7f7f7f7f7f7f7f7f) >> 7) & 0x0101010101010101;
}

/// Eight bits from eight bytes of 0 or 1.
constexpr std::uint64_t gather_bits(std::uint64_t bytes) noexcept { return (bytes * 0x0102040810204080) >> 56; }

/// A comparison result from the low bits of `bits`.
template <class Part>
KROTON_INLINE Part part_from_bits(std::uint64_t bits) noexcept {
  if constexpr (std::is_same_v<Part, bool>) {
    return (bits & 1) != 0;
  } else if constexpr (held_as_bits<Part>) {
    return std::bit_cast<Part>(static_cast<unsigned_of<sizeof(Part)>>(bits & first_bits(Part::size)));
  } else {
    using T = typename Part::batch_type::value_type;
    using U = unsigned_of<sizeof(T)>;
    using batch = xsimd::batch<U, typename Part::batch_type::arch_type>;
    std::array<U, Part::size> own{};
    batch given;
    if constexpr (sizeof(U) == 1) {
      // More lanes than a byte has bits: spread them to a byte each.
      own.fill(1);
      std::array<std::uint64_t, Part::size / 8> spread;
      for (std::size_t i = 0; i < spread.size(); ++i) spread[i] = spread_bits(bits >> (8 * i));
      given = std::bit_cast<batch>(spread);
    } else {
      for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<U>(U{1} << i);
      given = batch(static_cast<U>(bits));
    }
    const batch bit = std::bit_cast<batch>(own);
    return std::bit_cast<Part>((given & bit) == bit);
  }
}

/// The mask whose lane i is bit i.
template <any_mask M>
KROTON_INLINE M from_bits(std::uint64_t bits) noexcept {
  return [&]<std::size_t... Index>(std::index_sequence<Index...>) KROTON_INLINE_LAMBDA {
    return M{{part_from_bits<typename M::part_type>(bits >> (Index * M::part_size))...}};
  }
  (std::make_index_sequence<M::parts>{});
}

/// The truth value in lane `i`.
template <any_mask M>
KROTON_INLINE bool lane(const M& m, int i) noexcept {
  return (to_bits(m) >> i & 1) != 0;
}

}  // namespace kroton::simd
