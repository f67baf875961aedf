// This header has the quantile function of the standard normal distribution: the inverse of normal_cdf, over its whole
// range. It is made of operations that all processors round alike, as draws.hpp is, because truncated normal numbers
// are quantiles; the quantiles of draws.hpp take fewer instructions, and reach no further than random bits do.
//
// Wichura, "Algorithm AS 241: the percentage points of the normal distribution", 1988: a quotient of two polynomials,
// of the distance from the middle, or of r = sqrt(-log(p)) in two parts of the tail.
#pragma once

#include <kroton/arithmetic/draws.hpp>

namespace kroton::simd {

/// Coefficients of numerators and denominators, from the highest power.
template <class T>
struct quantile_constants;
template <>
struct quantile_constants<float> {
  static constexpr std::array<float, 4> central_above{59.109374720f, 159.29113202f, 50.434271938f, 3.3871327179f};
  static constexpr std::array<float, 4> central_below{67.187563600f, 78.757757664f, 17.895169469f, 1};
  static constexpr std::array<float, 4> near_above{0.17023821103f, 1.3067284816f, 2.7568153900f, 1.4234372777f};
  static constexpr std::array<float, 3> near_below{0.12021132975f, 0.73700164250f, 1};
  static constexpr std::array<float, 4> far_above{0.017337203997f, 0.42868294337f, 3.0812263860f, 6.6579051150f};
  static constexpr std::array<float, 3> far_below{0.012258202635f, 0.24197894225f, 1};
};
template <>
struct quantile_constants<double> {
  static constexpr std::array<double, 8> central_above{
      2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
      13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.3871328727963666080};
  static constexpr std::array<double, 8> central_below{
      5226.4952788528545610, 28729.085735721942674, 39307.895800092710610, 21213.794301586595867,
      5394.1960214247511077, 687.18700749205790830, 42.313330701600911252, 1};
  static constexpr std::array<double, 8> near_above{
      7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258,
      3.64784832476320460504,    5.76949722146069140550,    4.63033784615654529590,    1.42343711074968357734};
  static constexpr std::array<double, 8> near_below{
      1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
      6.89767334985100004550e-1, 1.67638483018380384940,    2.05319162663775882187,    1};
  static constexpr std::array<double, 8> far_above{
      2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
      2.96560571828504891230e-1, 1.78482653991729133580,    5.46378491116411436990,    6.65790464350110377720};
  static constexpr std::array<double, 8> far_below{
      2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
      1.48753612908506148525e-2,  1.36929880922735805310e-1, 5.99832206555887937690e-1, 1};
};

/// log(x) of x > 0, which may be denormal.
template <real T>
KROTON_HD T log_of_any(T x) noexcept {
  if (x >= std::numeric_limits<T>::min()) return log_of(log_parts_of(x));
  log_parts<T> parts = log_parts_of(x * T(0x1p64));
  parts.exponent -= 64;
  return log_of(parts);
}

/// The number that a standard normal variable is at most with probability p: from -infinity at 0 to infinity at 1, NaN
/// elsewhere.
template <real T>
KROTON_HD T normal_quantile(T p) noexcept {
  using by = quantile_constants<T>;
  const T middle = p - T(0.5), end = middle < 0 ? p : 1 - p;
  if (end >= T(0.075)) {
    const T r = std::fma(-middle, middle, T(0.180625));
    return middle * horner<by::central_above>(r) / horner<by::central_below>(r);
  }
  T magnitude = end == 0 ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::quiet_NaN();
  if (end > 0) {
    const T r = std::sqrt(-log_of_any(end)), near = r - T(1.6), far = r - 5;
    magnitude = r > 5 ? horner<by::far_above>(far) / horner<by::far_below>(far)
                      : horner<by::near_above>(near) / horner<by::near_below>(near);
  }
  return middle < 0 ? -magnitude : magnitude;
}

/// The probabilities that a standard normal number is below -2, and that it is between -2 and 2.
inline constexpr double below_two = 0.022750131948179207, within_two = 0.95449973610364159;
/// A standard normal number that is in [-2, 2], from random bits.
template <integer Bits>
KROTON_HD auto truncated_normal(Bits bits) noexcept {
  using T = drawn_from<Bits>;
  const draw_place<bool, T> at = draw_place_of(bits);
  const T z = maximum(normal_quantile(std::fma(at.end, T(within_two), T(below_two))), T(-2));
  return at.is_above ? -z : z;
}
/// A number u in (0, 1) from random bits, or 1 - u if `FromEnd`. Each has all digits where it is near 0.
template <bool FromEnd, integer Bits>
KROTON_HD auto open_interval(Bits bits) noexcept {
  const auto at = draw_place_of(bits);
  return at.is_above == FromEnd ? at.end : 1 - at.end;
}

}  // namespace kroton::simd
