// Operators, comparisons and selection on packs and masks.
#pragma once

#include <kroton/kernel/simd/bits.hpp>

namespace kroton::simd {

/// Arithmetic on two numbers without undefined behaviour: integers wrap around.
template <number T, class Operation>
constexpr T wrap(T a, T b, Operation operation) noexcept {
  if constexpr (real<T>)
    return operation(a, b);
  else
    return static_cast<T>(operation(static_cast<wrapping<T>>(a), static_cast<wrapping<T>>(b)));
}

inline constexpr auto plus = [](auto a, auto b) { return a + b; };
inline constexpr auto minus = [](auto a, auto b) { return a - b; };
inline constexpr auto times = [](auto a, auto b) { return a * b; };

/// Arithmetic on the registers of two packs, or on their numbers.
template <any_pack P, class Operation>
constexpr P wrap_parts(const P& a, const P& b, Operation operation) noexcept {
  return map_parts<P>(
      [=](const auto& x, const auto& y) -> typename P::part_type {
        if constexpr (P::vectorised)
          return operation(x, y);
        else
          return wrap(x, y, operation);
      },
      a, b);
}

template <class T, int W>
constexpr pack<T, W> operator+(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return wrap_parts(a, b, plus);
}

template <class T, int W>
constexpr pack<T, W> operator-(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return wrap_parts(a, b, minus);
}

template <class T, int W>
constexpr pack<T, W> operator*(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  // Only these products are instructions everywhere; for the others xsimd loops with the overflow rules of the signed type.
  if constexpr (real<T> || (native_bytes == 64 && sizeof(T) >= 4))
    return wrap_parts(a, b, times);
  else
    return map_lanes<pack<T, W>>([](T x, T y) { return wrap(x, y, times); }, a, b);
}

/// Quotient; of integers towards zero, and 0 where `b` is 0.
template <class T, int W>
constexpr pack<T, W> operator/(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  if constexpr (real<T>)
    return map_parts<pack<T, W>>([](const auto& x, const auto& y) { return x / y; }, a, b);
  else
    return map_lanes<pack<T, W>>(quotient<T>, a, b);
}

/// Remainder of integers, with the sign of `a`; 0 where `b` is 0.
template <integer T, int W>
constexpr pack<T, W> operator%(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return map_lanes<pack<T, W>>(remainder<T>, a, b);
}

template <class T, int W>
constexpr pack<T, W> operator-(const pack<T, W>& a) noexcept {
  if constexpr (integer<T>)
    return broadcast<pack<T, W>>(T{0}) - a;
  else if constexpr (pack<T, W>::vectorised)  // xsimd's own negation subtracts from 0, and so makes +0 of +0
    return map_parts<pack<T, W>>([](const auto& x) { return x ^ typename pack<T, W>::part_type(T{-0.0}); }, a);
  else
    return map_parts<pack<T, W>>([](T x) { return -x; }, a);
}

template <integer T, int W>
constexpr pack<T, W> operator&(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return wrap_parts(a, b, [](const auto& x, const auto& y) { return x & y; });
}

template <integer T, int W>
constexpr pack<T, W> operator|(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return wrap_parts(a, b, [](const auto& x, const auto& y) { return x | y; });
}

template <integer T, int W>
constexpr pack<T, W> operator^(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return wrap_parts(a, b, [](const auto& x, const auto& y) { return x ^ y; });
}

template <integer T, int W>
constexpr pack<T, W> operator~(const pack<T, W>& a) noexcept {
  return a ^ broadcast<pack<T, W>>(static_cast<T>(~T{0}));
}

/// a * 2^count lane by lane; 0 where the count is negative or not below the width.
template <integer T, int W>
constexpr pack<T, W> operator<<(const pack<T, W>& a, const pack<T, W>& count) noexcept {
  return map_lanes<pack<T, W>>(shift_left<T>, a, count);
}

/// floor(a / 2^count) lane by lane; all sign bits where the count is negative or not below the width.
template <integer T, int W>
constexpr pack<T, W> operator>>(const pack<T, W>& a, const pack<T, W>& count) noexcept {
  return map_lanes<pack<T, W>>(shift_right<T>, a, count);
}

/// a * 2^Count for a count known at compile time and below the width.
template <int Count, integer T, int W>
constexpr pack<T, W> shift_left(const pack<T, W>& a) noexcept {
  if constexpr (pack<T, W>::vectorised && sizeof(T) >= 4)
    return map_parts<pack<T, W>>([](const auto& x) { return x << Count; }, a);
  else
    return map_lanes<pack<T, W>>([](T x) { return shift_left<T>(x, T{Count}); }, a);
}

/// The pack of another element type of the same size with the same bits.
template <any_pack To, any_pack From>
constexpr To bits_as(const From& from) noexcept {
  return std::bit_cast<To>(from);
}

/// Comparison of two packs, register by register.
template <any_pack P, class Comparison>
constexpr auto compare(const P& a, const P& b, Comparison comparison) noexcept {
  using M = typename P::mask_type;
  return map_parts<M>([=](const auto& x, const auto& y) { return std::bit_cast<typename M::part_type>(comparison(x, y)); },
                      a, b);
}

template <class T, int W>
constexpr auto operator==(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return compare(a, b, [](const auto& x, const auto& y) { return x == y; });
}

template <class T, int W>
constexpr auto operator<(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return compare(a, b, [](const auto& x, const auto& y) { return x < y; });
}

template <class T, int W>
constexpr auto operator>(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return b < a;
}

template <class T, int W>
constexpr auto operator<=(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  if constexpr (real<T>)
    return compare(a, b, [](const auto& x, const auto& y) { return x <= y; });
  else
    return !(b < a);
}

template <class T, int W>
constexpr auto operator>=(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return b <= a;
}

template <class T, int W>
constexpr auto operator!=(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return !(a == b);
}

/// Logic on the comparison results of two masks.
template <any_mask M, class Operation>
constexpr M combine(Operation operation, const M& a, const M& b) noexcept {
  return map_parts<M>(
      [=](const auto& x, const auto& y) {
        using part = typename M::part_type;
        // xsimd 8.1 gets some of these wrong on AVX-512, where a comparison result is an integer.
        if constexpr (!held_as_bits<part>)
          return part(operation(x, y));
        else
          return std::bit_cast<part>(static_cast<unsigned_of<sizeof(part)>>(operation(part_bits(x), part_bits(y))));
      },
      a, b);
}

template <int Bytes, int W>
constexpr mask<Bytes, W> operator&(const mask<Bytes, W>& a, const mask<Bytes, W>& b) noexcept {
  return combine([](const auto& x, const auto& y) { return x & y; }, a, b);
}

template <int Bytes, int W>
constexpr mask<Bytes, W> operator|(const mask<Bytes, W>& a, const mask<Bytes, W>& b) noexcept {
  return combine([](const auto& x, const auto& y) { return x | y; }, a, b);
}

template <int Bytes, int W>
constexpr mask<Bytes, W> operator^(const mask<Bytes, W>& a, const mask<Bytes, W>& b) noexcept {
  return combine([](const auto& x, const auto& y) { return x ^ y; }, a, b);
}

template <int Bytes, int W>
constexpr mask<Bytes, W> operator!(const mask<Bytes, W>& a) noexcept {
  return a ^ broadcast<mask<Bytes, W>>(true);
}

// As on bools, so that one body serves both; but both sides are always evaluated.

template <int Bytes, int W>
constexpr mask<Bytes, W> operator&&(const mask<Bytes, W>& a, const mask<Bytes, W>& b) noexcept {
  return a & b;
}

template <int Bytes, int W>
constexpr mask<Bytes, W> operator||(const mask<Bytes, W>& a, const mask<Bytes, W>& b) noexcept {
  return a | b;
}

template <int Bytes, int W>
constexpr mask<Bytes, W> operator!=(const mask<Bytes, W>& a, const mask<Bytes, W>& b) noexcept {
  return a ^ b;
}

template <int Bytes, int W>
constexpr mask<Bytes, W> operator==(const mask<Bytes, W>& a, const mask<Bytes, W>& b) noexcept {
  return !(a ^ b);
}

/// The same truth values as they would result from comparing elements of `Bytes` bytes.
template <int Bytes, int From, int W>
mask<Bytes, W> convert(const mask<From, W>& m) noexcept {
  if constexpr (Bytes == From)
    return m;
  else if constexpr (!mask<Bytes, W>::vectorised && !mask<From, W>::vectorised)
    return std::bit_cast<mask<Bytes, W>>(m);
  else
    return from_bits<mask<Bytes, W>>(to_bits(m));
}

/// Whether any lane holds.
template <int Bytes, int W>
bool any(const mask<Bytes, W>& m) noexcept {
  using M = mask<Bytes, W>;
  return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    if constexpr (held_as_bits<typename M::part_type>)
      return (part_bits(m.part[Index]) | ...) != 0;
    else
      return xsimd::any((m.part[Index] | ...));
  }(std::make_index_sequence<M::parts>{});
}

/// Whether every lane holds.
template <int Bytes, int W>
bool all(const mask<Bytes, W>& m) noexcept {
  return !any(!m);
}

/// `yes` in the elements where the condition holds, else `no`, of registers.
template <class T, class Arch>
xsimd::batch<T, Arch> select_part(const xsimd::batch_bool<T, Arch>& condition, const xsimd::batch<T, Arch>& yes,
                                  const xsimd::batch<T, Arch>& no) noexcept {
#if defined(__AVX512VL__)
  // GCC 12 compiling for AVX-512 swaps the choices of a blend of these when the condition is a negated comparison. This
  // instruction does what a blend does, too: 0xca is the table of c ? y : n.
  using batch = xsimd::batch<T, Arch>;
  using bytes = xsimd::batch<std::int32_t, Arch>;
  if constexpr (!held_as_bits<xsimd::batch_bool<T, Arch>> && sizeof(batch) == 32)
    return std::bit_cast<batch>(bytes(_mm256_ternarylogic_epi32(std::bit_cast<bytes>(condition), std::bit_cast<bytes>(yes),
                                                                std::bit_cast<bytes>(no), 0xca)));
  else if constexpr (!held_as_bits<xsimd::batch_bool<T, Arch>> && sizeof(batch) == 16)
    return std::bit_cast<batch>(bytes(_mm_ternarylogic_epi32(std::bit_cast<bytes>(condition), std::bit_cast<bytes>(yes),
                                                             std::bit_cast<bytes>(no), 0xca)));
  else
#endif
    return xsimd::select(condition, yes, no);
}

/// `yes` in the lanes where the condition holds, else `no`.
template <int Bytes, class T, int W>
pack<T, W> select(const mask<Bytes, W>& condition, const pack<T, W>& yes, const pack<T, W>& no) noexcept {
  using P = pack<T, W>;
  return map_parts<P>(
      [](const auto& c, const auto& y, const auto& n) {
        if constexpr (P::vectorised)
          return select_part(std::bit_cast<typename P::part_type::batch_bool_type>(c), y, n);
        else
          return c ? y : n;
      },
      convert<static_cast<int>(sizeof(T))>(condition), yes, no);
}

/// `yes` in the lanes where the condition holds, else `no`.
template <int Bytes, int To, int W>
mask<To, W> select(const mask<Bytes, W>& condition, const mask<To, W>& yes, const mask<To, W>& no) noexcept {
  const mask<To, W> c = convert<To>(condition);
  return no ^ (c & (yes ^ no));
}

template <any_pack P>
constexpr auto is_nonzero(const P& p) noexcept {
  return p != broadcast<P>(typename P::value_type{0});
}

}  // namespace kroton::simd
