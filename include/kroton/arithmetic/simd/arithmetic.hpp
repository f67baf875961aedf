// This header has the arithmetic and bit operators on packs.
#pragma once

#include <kroton/arithmetic/simd/pack.hpp>

namespace kroton::simd {

/// Arithmetic on two numbers without undefined behaviour: integers wrap around.
template <number T, class Operation>
KROTON_INLINE constexpr T wrap(T a, T b, Operation operation) noexcept {
  if constexpr (real<T>) return operation(a, b);
  else return static_cast<T>(operation(static_cast<wrapping<T>>(a), static_cast<wrapping<T>>(b)));
}

inline constexpr auto plus = [](const auto& a, const auto& b) KROTON_INLINE_LAMBDA { return a + b; };
inline constexpr auto minus = [](const auto& a, const auto& b) KROTON_INLINE_LAMBDA { return a - b; };
inline constexpr auto times = [](const auto& a, const auto& b) KROTON_INLINE_LAMBDA { return a * b; };
inline constexpr auto over = [](const auto& a, const auto& b) KROTON_INLINE_LAMBDA { return a / b; };

/// Arithmetic on the registers of two packs, or on their numbers. Registers of floating-point numbers are added by the
/// compiler's own operator: xsimd's is a chain of ten functions, which compilers inline anew wherever a kernel adds.
template <any_pack P, class Operation>
KROTON_INLINE constexpr P wrap_parts(const P& a, const P& b, Operation operation) noexcept {
  return map_parts<P>(
      [=](const auto& x, const auto& y) KROTON_INLINE_LAMBDA -> typename P::part_type {
        if constexpr (real_pack<P> && P::vectorised)
          return __builtin_bit_cast(typename P::part_type, operation(x.data, y.data));
        else if constexpr (P::vectorised) return operation(x, y);
        else return wrap(x, y, operation);
      },
      a, b);
}

template <class T, int W>
KROTON_INLINE constexpr pack<T, W> operator+(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return wrap_parts(a, b, plus);
}

template <class T, int W>
KROTON_INLINE constexpr pack<T, W> operator-(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return wrap_parts(a, b, minus);
}

template <class T, int W>
KROTON_INLINE constexpr pack<T, W> operator*(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  // Only these products are instructions; for the others xsimd loops with the overflow rules of the signed
  // type.
#if defined(__SSE4_1__)
  constexpr bool is_instruction = sizeof(T) == 4 || (sizeof(T) == 8 && sizeof(typename pack<T, W>::part_type) == 64);
#else
  constexpr bool is_instruction = false;
#endif
  if constexpr (real<T> || is_instruction) return wrap_parts(a, b, times);
  else return map_lanes<pack<T, W>>([](T x, T y) { return wrap(x, y, times); }, a, b);
}

/// Quotient; of integers towards zero, and 0 where `b` is 0.
template <class T, int W>
KROTON_INLINE constexpr pack<T, W> operator/(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  if constexpr (real<T>) return wrap_parts(a, b, over);
  else return map_lanes<pack<T, W>>([](T x, T y) { return quotient(x, y); }, a, b);
}

template <class T, int W>
KROTON_INLINE constexpr pack<T, W> quotient(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return a / b;
}

template <class T, int W>
KROTON_INLINE constexpr pack<T, W> operator-(const pack<T, W>& a) noexcept {
  if constexpr (integer<T>) return broadcast<pack<T, W>>(T{0}) - a;
  else if constexpr (pack<T, W>::vectorised)  // xsimd's own negation subtracts from 0, and so makes +0 of +0
    return map_parts<pack<T, W>>([](const auto& x) { return x ^ typename pack<T, W>::part_type(T{-0.0}); }, a);
  else return map_parts<pack<T, W>>([](T x) { return -x; }, a);
}

// The functions that operations call, for packs and for numbers.
template <any_pack P>
KROTON_INLINE constexpr P wrapped_sum(const P& a, const P& b) noexcept {
  return a + b;
}
template <any_pack P>
KROTON_INLINE constexpr P wrapped_difference(const P& a, const P& b) noexcept {
  return a - b;
}
template <any_pack P>
KROTON_INLINE constexpr P wrapped_product(const P& a, const P& b) noexcept {
  return a * b;
}
template <any_pack P>
KROTON_INLINE constexpr P wrapped_negative(const P& a) noexcept {
  return -a;
}

template <integer T, int W>
KROTON_INLINE constexpr pack<T, W> operator&(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return wrap_parts(a, b, [](const auto& x, const auto& y) { return x & y; });
}

template <integer T, int W>
KROTON_INLINE constexpr pack<T, W> operator|(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return wrap_parts(a, b, [](const auto& x, const auto& y) { return x | y; });
}

template <integer T, int W>
KROTON_INLINE constexpr pack<T, W> operator^(const pack<T, W>& a, const pack<T, W>& b) noexcept {
  return wrap_parts(a, b, [](const auto& x, const auto& y) { return x ^ y; });
}

template <integer T, int W>
KROTON_INLINE constexpr pack<T, W> operator~(const pack<T, W>& a) noexcept {
  return a ^ broadcast<pack<T, W>>(static_cast<T>(~T{0}));
}

/// a * 2^count lane by lane; 0 where the count is negative or not below the width.
template <integer T, int W>
KROTON_INLINE constexpr pack<T, W> operator<<(const pack<T, W>& a, const pack<T, W>& count) noexcept {
  return map_lanes<pack<T, W>>(shift_left<T>, a, count);
}

/// floor(a / 2^count) lane by lane; all sign bits where the count is negative or not below the width.
template <integer T, int W>
KROTON_INLINE constexpr pack<T, W> operator>>(const pack<T, W>& a, const pack<T, W>& count) noexcept {
  return map_lanes<pack<T, W>>(shift_right<T>, a, count);
}

}  // namespace kroton::simd
