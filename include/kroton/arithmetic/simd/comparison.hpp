// This header has comparisons of packs, the logic of the masks that they give, and selection by masks.
#pragma once

#include <kroton/arithmetic/simd/bits.hpp>

namespace kroton::simd {

/// Comparison of two packs, register by register.
template <any_pack P, class Comparison>
KROTON_INLINE constexpr auto compare(const P& a, const P& b, Comparison comparison) noexcept {
  using M = typename P::mask_type;
  return map_parts<M>(
      [=](const auto& x, const auto& y) { return std::bit_cast<typename M::part_type>(comparison(x, y)); }, a, b);
}

template <class T, int W>
KROTON_INLINE constexpr auto operator==(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return compare(a, b, [](const auto& x, const auto& y) { return x == y; });
}

template <class T, int W>
KROTON_INLINE constexpr auto operator<(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return compare(a, b, [](const auto& x, const auto& y) { return x < y; });
}

template <class T, int W>
KROTON_INLINE constexpr auto operator>(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return b < a;
}

template <class T, int W>
KROTON_INLINE constexpr auto operator<=(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  if constexpr (real<T>) return compare(a, b, [](const auto& x, const auto& y) { return x <= y; });
  else return !(b < a);
}

template <class T, int W>
KROTON_INLINE constexpr auto operator>=(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return b <= a;
}

template <class T, int W>
KROTON_INLINE constexpr auto operator!=(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return !(a == b);
}

/// Logic on the comparison results of two masks.
template <any_mask M, class Operation>
KROTON_INLINE constexpr M combine(Operation operation, const M& a, const M& b) noexcept {
  return map_parts<M>(
      [=](const auto& x, const auto& y) {
        using part = typename M::part_type;
        // xsimd 8.1 gets some of these wrong on AVX-512, where a comparison result is an integer.
        if constexpr (!held_as_bits<part>) return part(operation(x, y));
        else return std::bit_cast<part>(static_cast<unsigned_of<sizeof(part)>>(operation(part_bits(x), part_bits(y))));
      },
      a, b);
}

template <int Bytes, int W>
KROTON_INLINE constexpr mask<Bytes, W> operator&(const mask<Bytes, W>& a, const mask<Bytes, W>& b) noexcept {
  return combine([](const auto& x, const auto& y) { return x & y; }, a, b);
}

template <int Bytes, int W>
KROTON_INLINE constexpr mask<Bytes, W> operator|(const mask<Bytes, W>& a, const mask<Bytes, W>& b) noexcept {
  return combine([](const auto& x, const auto& y) { return x | y; }, a, b);
}

template <int Bytes, int W>
KROTON_INLINE constexpr mask<Bytes, W> operator^(const mask<Bytes, W>& a, const mask<Bytes, W>& b) noexcept {
  return combine([](const auto& x, const auto& y) { return x ^ y; }, a, b);
}

template <int Bytes, int W>
KROTON_INLINE constexpr mask<Bytes, W> operator!(const mask<Bytes, W>& a) noexcept {
  return a ^ broadcast<mask<Bytes, W>>(true);
}

// As on bools, so that one body serves both; but both sides are always evaluated.

template <int Bytes, int W>
KROTON_INLINE constexpr mask<Bytes, W> operator&&(const mask<Bytes, W>& a, const mask<Bytes, W>& b) noexcept {
  return a & b;
}

template <int Bytes, int W>
KROTON_INLINE constexpr mask<Bytes, W> operator||(const mask<Bytes, W>& a, const mask<Bytes, W>& b) noexcept {
  return a | b;
}

template <int Bytes, int W>
KROTON_INLINE constexpr mask<Bytes, W> operator!=(const mask<Bytes, W>& a, const mask<Bytes, W>& b) noexcept {
  return a ^ b;
}

template <int Bytes, int W>
KROTON_INLINE constexpr mask<Bytes, W> operator==(const mask<Bytes, W>& a, const mask<Bytes, W>& b) noexcept {
  return !(a ^ b);
}

/// The same truth values as they would result from comparing elements of `Bytes` bytes.
template <int Bytes, int From, int W>
KROTON_INLINE mask<Bytes, W> convert(const mask<From, W>& m) noexcept {
  if constexpr (Bytes == From) return m;
  else if constexpr (!mask<Bytes, W>::vectorised && !mask<From, W>::vectorised) return std::bit_cast<mask<Bytes, W>>(m);
  else return from_bits<mask<Bytes, W>>(to_bits(m));
}

/// Whether any lane holds.
template <int Bytes, int W>
KROTON_INLINE bool any(const mask<Bytes, W>& m) noexcept {
  using M = mask<Bytes, W>;
  return [&]<std::size_t... Index>(std::index_sequence<Index...>) KROTON_INLINE_LAMBDA {
    if constexpr (held_as_bits<typename M::part_type>) return (part_bits(m.part[Index]) | ...) != 0;
    else return xsimd::any((m.part[Index] | ...));
  }
  (std::make_index_sequence<M::parts>{});
}

/// Whether every lane holds.
template <int Bytes, int W>
KROTON_INLINE bool all(const mask<Bytes, W>& m) noexcept {
  return !any(!m);
}

/// `yes` in the elements where the condition holds, else `no`, of registers.
template <class T, class Arch>
KROTON_INLINE xsimd::batch<T, Arch> select_part(const xsimd::batch_bool<T, Arch>& condition,
                                                const xsimd::batch<T, Arch>& yes,
                                                const xsimd::batch<T, Arch>& no) noexcept {
#if defined(__AVX512VL__)
  // GCC 12 compiling for AVX-512 swaps the choices of a blend of these when the condition is a negated
  // comparison. This instruction does what a blend does, too: 0xca is the table of c ? y : n.
  using batch = xsimd::batch<T, Arch>;
  using bytes = xsimd::batch<std::int32_t, Arch>;
  if constexpr (!held_as_bits<xsimd::batch_bool<T, Arch>> && sizeof(batch) == 32)
    return std::bit_cast<batch>(bytes(_mm256_ternarylogic_epi32(
        std::bit_cast<bytes>(condition), std::bit_cast<bytes>(yes), std::bit_cast<bytes>(no), 0xca)));
  else if constexpr (!held_as_bits<xsimd::batch_bool<T, Arch>> && sizeof(batch) == 16)
    return std::bit_cast<batch>(bytes(_mm_ternarylogic_epi32(std::bit_cast<bytes>(condition), std::bit_cast<bytes>(yes),
                                                             std::bit_cast<bytes>(no), 0xca)));
  else
#endif
    return xsimd::select(condition, yes, no);
}

/// `yes` in the lanes where the condition holds, else `no`.
template <int Bytes, class T, int W>
KROTON_INLINE pack<T, W> select(const mask<Bytes, W>& condition, const pack<T, W>& yes, const pack<T, W>& no) noexcept {
  using P = pack<T, W>;
  return map_parts<P>(
      [](const auto& c, const auto& y, const auto& n) {
        if constexpr (P::vectorised) return select_part(std::bit_cast<typename P::part_type::batch_bool_type>(c), y, n);
        else return c ? y : n;
      },
      convert<static_cast<int>(sizeof(T))>(condition), yes, no);
}

/// `yes` in the lanes where the condition holds, else `no`.
template <int Bytes, int To, int W>
KROTON_INLINE mask<To, W> select(const mask<Bytes, W>& condition, const mask<To, W>& yes,
                                 const mask<To, W>& no) noexcept {
  const mask<To, W> c = convert<To>(condition);
  return no ^ (c & (yes ^ no));
}

template <any_pack P>
KROTON_INLINE constexpr auto is_nonzero(const P& p) noexcept {
  return p != broadcast<P>(typename P::value_type{0});
}

}  // namespace kroton::simd
