// This header makes packs of random numbers of packs of random bits, as arithmetic/draws.hpp does of numbers, by the
// same operations in the same order.
#pragma once

#include <kroton/arithmetic/draws.hpp>
#include <kroton/arithmetic/simd/basic.hpp>
#include <kroton/arithmetic/simd/convert.hpp>

namespace kroton::simd {

/// The same bits as numbers of another type.
template <class To, any_pack P>
KROTON_INLINE rebind<To, P> with_bits_of(const P& x) noexcept {
  using to = rebind<To, P>;
  return __builtin_bit_cast(to, x);
}
/// Bits shifted to the right.
template <int Count, integer_pack P>
KROTON_INLINE P shifted(const P& x) noexcept {
  return map_parts<P>([](const auto& v) { return typename P::part_type(v >> Count); }, x);
}

template <const auto& Coefficients, real_pack P>
KROTON_INLINE P horner(const P& x) noexcept {
  P sum = broadcast<P>(Coefficients[0]);
  [&]<std::size_t... I>(std::index_sequence<I...>) KROTON_INLINE_LAMBDA {
    ((sum = fma(sum, x, broadcast<P>(Coefficients[I + 1]))), ...);
  }
  (std::make_index_sequence<Coefficients.size() - 1>());
  return sum;
}

template <int W>
KROTON_INLINE pack<float, W> number_of(const pack<std::uint32_t, W>& bits) noexcept {
  return convert<float>(with_bits_of<std::int32_t>(bits));
}
template <int W>
KROTON_INLINE pack<double, W> number_of(const pack<std::uint64_t, W>& bits) noexcept {
  const auto one = broadcast<pack<std::uint64_t, W>>(__builtin_bit_cast(std::uint64_t, 0x1p52));
  return with_bits_of<double>(bits | one) - broadcast<pack<double, W>>(0x1p52);
}

template <real_pack P>
KROTON_INLINE log_parts<P> log_parts_of(const P& x) noexcept {
  using T = typename P::value_type;
  using bits = typename draw_constants<T>::bits;
  using B = rebind<bits, P>;
  constexpr int width = std::numeric_limits<T>::digits - 1;
  constexpr bits low = __builtin_bit_cast(bits, T(0.75)), up = __builtin_bit_cast(bits, T(1)) - low,
                 fraction = (bits{1} << width) - 1;
  constexpr T bias = std::numeric_limits<T>::max_exponent - 1;
  const B moved = with_bits_of<bits>(x) + broadcast<B>(up);
  return {with_bits_of<T>((moved & broadcast<B>(fraction)) + broadcast<B>(low)) - broadcast<P>(1),
          number_of(shifted<width>(moved)) - broadcast<P>(bias)};
}
template <real_pack P>
KROTON_INLINE P log_of(const log_parts<P>& x) noexcept {
  using by = draw_constants<typename P::value_type>;
  return fma(x.exponent, broadcast<P>(by::ln2), fma(x.f * x.f, horner<by::log_series>(x.f), x.f));
}

template <integer_pack B>
KROTON_INLINE auto draw_place_of(const B& all) noexcept {
  using bits = typename B::value_type;
  using T = drawn_from<bits>;
  using V = rebind<T, B>;
  using S = rebind<std::make_signed_t<bits>, B>;
  constexpr int digits = draw_constants<T>::digits;
  constexpr bits top = bits{1} << (digits - 1);
  constexpr T unit = T(1) / static_cast<T>(top);
  // comparisons with signed integers are one instruction
  const S number = with_bits_of<typename S::value_type>(all);
  const auto is_above =
      digits == 32 ? number < broadcast<S>(0) : broadcast<S>(static_cast<typename S::value_type>(top - 1)) < number;
  const B lower = all & broadcast<B>(top - 1), upper = lower ^ broadcast<B>(top - 1);
  const V end = fma(number_of(select(is_above, upper, lower)), broadcast<V>(unit / 2), broadcast<V>(unit / 4));
  const V middle = fma(number_of(select(is_above, lower, upper)), broadcast<V>(unit), broadcast<V>(unit / 2));
  return draw_place<std::remove_cv_t<decltype(is_above)>, V>{is_above, end, middle};
}

template <class Condition, real_pack P>
KROTON_INLINE P normal_quantile(const draw_place<Condition, P>& at) noexcept {
  using by = draw_constants<typename P::value_type>;
  const P w = -log_of(log_parts_of(broadcast<P>(4) * fma(-at.end, at.end, at.end)));
  P series = horner<by::central_series>(w - broadcast<P>(by::centre));
  const auto far = w > broadcast<P>(by::central);
  if (any(far)) series = select(far, horner<by::tail_series>(sqrt(w) - broadcast<P>(by::middle)), series);
  const P magnitude = at.middle * series;
  return select(at.is_above, magnitude, -magnitude);
}
template <class Condition, real_pack P>
KROTON_INLINE P exponential_quantile(const draw_place<Condition, P>& at) noexcept {
  const P u = select(at.is_above, broadcast<P>(1) - at.end, at.end);
  log_parts<P> parts = log_parts_of(u);
  parts.f = select(u >= broadcast<P>(0.75f), -at.end, parts.f);
  return -log_of(parts);
}

template <integer_pack B>
KROTON_INLINE auto standard_normal(const B& bits) noexcept {
  return normal_quantile(draw_place_of(bits));
}
template <integer_pack B>
KROTON_INLINE auto standard_exponential(const B& bits) noexcept {
  return exponential_quantile(draw_place_of(bits));
}
template <int Digits, integer_pack B>
KROTON_INLINE auto unit_interval(const B& bits) noexcept {
  using T = drawn_from<typename B::value_type>;
  constexpr T unit = 1 / static_cast<T>(std::uint64_t{1} << Digits);
  return number_of(shifted<draw_constants<T>::digits - Digits>(bits)) * broadcast<rebind<T, B>>(unit);
}
template <integer_pack B>
KROTON_INLINE B scaled_bits(const B& bits, const B& bound) noexcept {
  return map_lanes<B>([](std::uint64_t x, std::uint64_t y) { return scaled_bits(x, y); }, bits, bound);
}

}  // namespace kroton::simd
