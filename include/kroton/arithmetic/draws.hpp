// This header makes random numbers of random bits: uniform, normal and exponential ones. They are made of operations
// that every processor rounds alike (sums, fused products and sums, square roots), so that all devices draw the same
// numbers; where the target has no fused product and sum, the last bit may differ. simd/draws.hpp does the same on
// packs.
//
//     0xC0000000  ->  uniform 0.75, normal 0.67449, exponential 0.28768
#pragma once

#include <kroton/arithmetic/scalar.hpp>

#include <array>
#include <utility>

namespace kroton::simd {

/// The constants of draws: floats are made of 32 bits, doubles of 52. Coefficients are listed from the highest power
/// and made as those in simd/polynomial.hpp are.
template <class T>
struct draw_constants;
template <>
struct draw_constants<float> {
  using bits = std::uint32_t;
  static constexpr int digits = 32;
  static constexpr float ln2 = 0.693147181f;
  /// (log(1+f) - f) / f^2 for -1/4 <= f < 1/2.
  static constexpr std::array<float, 8> log_series{0.0555930808f, -0.12114092f,  0.14904657f,  -0.167888567f,
                                                   0.199822977f,  -0.249963582f, 0.333334714f, -0.5f};
  /// The quantile of the normal distribution over q, as a function of w - centre where w <= central, and of sqrt(w) -
  /// middle beyond it; see normal_quantile.
  static constexpr float centre = 2.5f, central = 5, middle = 3.4375f;
  static constexpr std::array<float, 10> central_series{
      -1.25563835e-08f, 3.184775e-08f,   6.6103536e-07f, -4.8829256e-06f, -7.027716e-06f,
      3.0872028e-04f,   -1.7716293e-03f, -5.907605e-03f, 3.4880203e-01f,  2.1233134e+00f};
  static constexpr std::array<float, 10> tail_series{6.358601e-05f,   -3.2021212e-06f, -4.635398e-04f,  9.0392865e-04f,
                                                     -1.1502461e-03f, 1.8134378e-03f,  -3.3667283e-03f, 5.2325167e-03f,
                                                     1.4240216e+00f,  4.628068e+00f};
};
template <>
struct draw_constants<double> {
  using bits = std::uint64_t;
  static constexpr int digits = 52;
  static constexpr double ln2 = 0.69314718055994530942;
  static constexpr std::array<double, 19> log_series{-0.009266589091832362,
                                                     0.03257358934383863,
                                                     -0.05457480946888452,
                                                     0.06311590994981914,
                                                     -0.06427774947815122,
                                                     0.06657157351385949,
                                                     -0.07121522964548505,
                                                     0.07689529883569032,
                                                     -0.08334400867003146,
                                                     0.09091163980807732,
                                                     -0.09999975957337089,
                                                     0.11111101569194612,
                                                     -0.1250000015984563,
                                                     0.14285714461515706,
                                                     -0.1666666666839809,
                                                     0.19999999998506046,
                                                     -0.24999999999981384,
                                                     0.3333333333333755,
                                                     -0.5};
  static constexpr double centre = 3.125, central = 6.25, middle = 4.125;
  static constexpr std::array<double, 23> central_series{
      -6.376638287316665e-21,  -2.3927202704225274e-19, 1.884925890727664e-18,   1.582968830464354e-17,
      -1.9010227676623877e-16, 2.855127143055137e-17,   9.407878732611866e-15,   -5.732649033760302e-14,
      -1.1545898785537822e-13, 3.724240311063915e-12,   -1.8348678802907504e-11, -7.658499224879236e-11,
      1.486635412746965e-09,   -5.8161442496778324e-09, -4.111170431121154e-08,  5.988894343128227e-07,
      -1.931065071206494e-06,  -1.963285282226405e-05,  0.00026408204956751953,  -0.0010475115695008721,
      -0.008532899177274155,   0.3396349587011406,      2.3386207100265937};
  static constexpr std::array<double, 21> tail_series{
      -9.033824469350599e-11,  2.3908207674257555e-10,  1.5119000201041871e-09, -6.276827295109601e-09,
      -3.0847761081464046e-10, 3.8761613503164585e-08,  -9.237524479853626e-08, 1.1863717798881526e-07,
      9.632490082002066e-09,   -8.073178734601382e-07,  3.192404579347855e-06,  -7.882040770948324e-06,
      1.5067581953725369e-05,  -2.5726898838419236e-05, 4.8153960390510565e-05, -0.00012020949015445994,
      0.00036543501170741184,  -0.001025310846282913,   0.0013603993877341343,  1.4280302224393895,
      5.608754748803527};
};
/// The number type that is made of bits of type `Bits`.
template <class Bits>
using drawn_from = std::conditional_t<sizeof(Bits) == 4, float, double>;

/// An item of a list, as a constant, because device code cannot read the list.
template <const auto& List, std::size_t I>
inline constexpr auto item_of = List[I];
/// A polynomial by Horner's rule.
template <const auto& Coefficients, real T>
KROTON_HD T horner(T x) noexcept {
  T sum = item_of<Coefficients, 0>;
  [&]<std::size_t... I>(std::index_sequence<I...>) { ((sum = std::fma(sum, x, item_of<Coefficients, I + 1>)), ...); }
  (std::make_index_sequence<Coefficients.size() - 1>());
  return sum;
}

/// An integer below 2^31, or 2^52, as a number.
KROTON_HD constexpr float number_of(std::uint32_t bits) noexcept {
  return static_cast<float>(static_cast<std::int32_t>(bits));
}
KROTON_HD constexpr double number_of(std::uint64_t bits) noexcept {
  return static_cast<double>(static_cast<std::int64_t>(bits));
}

/// A normal number x > 0 as (1 + f) * 2^exponent with -1/4 <= f < 1/2, and its logarithm.
template <class V>
struct log_parts {
  V f, exponent;
};
template <real T>
KROTON_HD log_parts<T> log_parts_of(T x) noexcept {
  using bits = typename draw_constants<T>::bits;
  constexpr int width = std::numeric_limits<T>::digits - 1;
  constexpr bits low = __builtin_bit_cast(bits, T(0.75)), up = __builtin_bit_cast(bits, T(1)) - low,
                 fraction = (bits{1} << width) - 1;
  constexpr T bias = std::numeric_limits<T>::max_exponent - 1;
  const bits moved = __builtin_bit_cast(bits, x) + up, mantissa = (moved & fraction) + low;
  return {__builtin_bit_cast(T, mantissa) - 1, number_of(moved >> width) - bias};
}
template <real T>
KROTON_HD T log_of(const log_parts<T>& x) noexcept {
  const T near = std::fma(x.f * x.f, horner<draw_constants<T>::log_series>(x.f), x.f);
  return std::fma(x.exponent, draw_constants<T>::ln2, near);
}

/// The number (bits + 1/2) * 2^-digits, which is in (0, 1), by its distances from the nearer end and, times two, from
/// the middle.
template <class Condition, class V>
struct draw_place {
  Condition is_above;  ///< whether the number is above 1/2
  V end, middle;
};
template <integer Bits>
KROTON_HD auto draw_place_of(Bits all) noexcept {
  using T = drawn_from<Bits>;
  constexpr Bits top = Bits{1} << (draw_constants<T>::digits - 1);
  constexpr T unit = T(1) / static_cast<T>(top);
  const bool is_above = (all & top) != 0;
  const Bits lower = all & (top - 1), upper = lower ^ (top - 1);
  return draw_place<bool, T>{is_above, std::fma(number_of(is_above ? upper : lower), unit / 2, unit / 4),
                             std::fma(number_of(is_above ? lower : upper), unit, unit / 2)};
}

/// The standard normal number that so much of the distribution is below. With q the distance from the middle, it is q
/// times a series in w = -log(1 - q^2), or in the square root of w: Giles, "Approximating the erfinv function", 2010.
template <real T>
KROTON_HD T normal_quantile(const draw_place<bool, T>& at) noexcept {
  using by = draw_constants<T>;
  const T w = -log_of(log_parts_of(4 * std::fma(-at.end, at.end, at.end)));
  const T series =
      w > by::central ? horner<by::tail_series>(std::sqrt(w) - by::middle) : horner<by::central_series>(w - by::centre);
  const T magnitude = at.middle * series;
  return at.is_above ? magnitude : -magnitude;
}
/// The exponential number -log(u) of the number u, with all digits where u is near 1, too.
template <real T>
KROTON_HD T exponential_quantile(const draw_place<bool, T>& at) noexcept {
  const T u = at.is_above ? 1 - at.end : at.end;
  log_parts<T> parts = log_parts_of(u);
  if (u >= T(0.75)) parts.f = -at.end;
  return -log_of(parts);
}

/// A standard normal number, and a standard exponential number, from random bits.
template <integer Bits>
KROTON_HD auto standard_normal(Bits bits) noexcept {
  return normal_quantile(draw_place_of(bits));
}
template <integer Bits>
KROTON_HD auto standard_exponential(Bits bits) noexcept {
  return exponential_quantile(draw_place_of(bits));
}

/// Uniform in [0, 1), a multiple of 2^-Digits: of 32 bits as a float, of 52 bits as a double.
template <int Digits, integer Bits>
KROTON_HD constexpr auto unit_interval(Bits bits) noexcept {
  constexpr drawn_from<Bits> unit = 1 / static_cast<drawn_from<Bits>>(std::uint64_t{1} << Digits);
  return number_of(bits >> (draw_constants<drawn_from<Bits>>::digits - Digits)) * unit;
}

/// floor(bits * bound / 2^64), by halves of both factors, which every compiler and device has.
KROTON_HD constexpr std::uint64_t scaled_bits(std::uint64_t bits, std::uint64_t bound) noexcept {
  constexpr std::uint64_t mask = 0xFFFFFFFFu;
  const std::uint64_t x_low = bits & mask, x_high = bits >> 32, y_low = bound & mask, y_high = bound >> 32;
  const std::uint64_t first = x_high * y_low + ((x_low * y_low) >> 32), second = x_low * y_high + (first & mask);
  return x_high * y_high + (first >> 32) + (second >> 32);
}

}  // namespace kroton::simd
