// This header has the quantile function of the standard normal distribution of packs, as arithmetic/normal_quantile.hpp
// has it of numbers, by the same operations in the same order.
#pragma once

#include <kroton/arithmetic/normal_quantile.hpp>
#include <kroton/arithmetic/simd/draws.hpp>

namespace kroton::simd {

template <real_pack P>
KROTON_INLINE P log_of_any(const P& x) noexcept {
  using T = typename P::value_type;
  const auto is_denormal = x < broadcast<P>(std::numeric_limits<T>::min());
  log_parts<P> parts = log_parts_of(select(is_denormal, x * broadcast<P>(T(0x1p64)), x));
  parts.exponent = parts.exponent - select(is_denormal, broadcast<P>(64), broadcast<P>(0));
  return log_of(parts);
}

/// The quantiles of ends in (0, 0.075), without their signs.
template <real_pack P>
KROTON_INLINE P tail_quantile(const P& end) noexcept {
  using T = typename P::value_type;
  using by = quantile_constants<T>;
  const P r = sqrt(-log_of_any(end)), near = r - broadcast<P>(T(1.6));
  P magnitude = horner<by::near_above>(near) / horner<by::near_below>(near);
  const auto is_far = r > broadcast<P>(5);
  if (any(is_far)) {
    const P far = r - broadcast<P>(5);
    magnitude = select(is_far, horner<by::far_above>(far) / horner<by::far_below>(far), magnitude);
  }
  return magnitude;
}

template <real_pack P>
KROTON_INLINE P normal_quantile(const P& p) noexcept {
  using T = typename P::value_type;
  using by = quantile_constants<T>;
  const P half = broadcast<P>(T(0.5)), zero = broadcast<P>(0), middle = p - half;
  const auto is_below = middle < zero;
  const P end = select(is_below, p, broadcast<P>(1) - p), r = fma(-middle, middle, broadcast<P>(T(0.180625)));
  const P central = middle * horner<by::central_above>(r) / horner<by::central_below>(r);
  const auto is_central = end >= broadcast<P>(T(0.075));
  if (!any(!is_central)) return central;
  const P outside = select(end == zero, broadcast<P>(std::numeric_limits<T>::infinity()),
                           broadcast<P>(std::numeric_limits<T>::quiet_NaN()));
  const P magnitude = select(end > zero, tail_quantile(end), outside);
  return select(is_central, central, select(is_below, -magnitude, magnitude));
}

template <integer_pack B>
KROTON_INLINE auto truncated_normal(const B& bits) noexcept {
  using T = drawn_from<typename B::value_type>;
  using P = rebind<T, B>;
  const auto at = draw_place_of(bits);
  const P p = fma(at.end, broadcast<P>(T(within_two)), broadcast<P>(T(below_two)));
  const P z = maximum(normal_quantile(p), broadcast<P>(-2));
  return select(at.is_above, -z, z);
}
template <bool FromEnd, integer_pack B>
KROTON_INLINE auto open_interval(const B& bits) noexcept {
  using P = rebind<drawn_from<typename B::value_type>, B>;
  const auto at = draw_place_of(bits);
  const P other = broadcast<P>(1) - at.end;
  if constexpr (FromEnd) return select(at.is_above, at.end, other);
  else return select(at.is_above, other, at.end);
}

}  // namespace kroton::simd
