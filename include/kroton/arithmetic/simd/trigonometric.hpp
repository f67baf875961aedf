// This header has circular and hyperbolic functions and their inverses.
#pragma once

#include <kroton/arithmetic/simd/exponential.hpp>

namespace kroton::simd {

// xsimd's argument reduction is too short for some doubles next to a multiple of pi/2, where what is left is
// tiny: those lanes, one in a million, are computed again.

template <real_pack P>
KROTON_INLINE P sin(const P& x) noexcept {
  constexpr auto exact = [](auto v) { return std::sin(v); };
  using T = typename P::value_type;
  if constexpr (!P::vectorised) {
    return map_lanes<P>(exact, x);
  } else {
    const P fast = map_parts<P>([](const auto& v) { return xsimd::sin(v); }, x);
    return mend(fast, (abs(fast) < broadcast<P>(T(1e-6))) & (abs(x) > broadcast<P>(T{1})), exact, x);
  }
}

template <real_pack P>
KROTON_INLINE P cos(const P& x) noexcept {
  constexpr auto exact = [](auto v) { return std::cos(v); };
  if constexpr (!P::vectorised) {
    return map_lanes<P>(exact, x);
  } else {
    const P fast = map_parts<P>([](const auto& v) { return xsimd::cos(v); }, x);
    return mend(fast, abs(fast) < broadcast<P>(typename P::value_type(1e-6)), exact, x);
  }
}

template <real_pack P>
KROTON_INLINE P tan(const P& x) noexcept {
  constexpr auto exact = [](auto v) { return std::tan(v); };
  using T = typename P::value_type;
  if constexpr (!P::vectorised) {
    return map_lanes<P>(exact, x);
  } else {
    const P fast = map_parts<P>([](const auto& v) { return xsimd::tan(v); }, x);
    const P size = abs(fast);
    const auto near_zero = (size < broadcast<P>(T(1e-6))) & (abs(x) > broadcast<P>(T{1}));
    return mend(fast, near_zero | (size > broadcast<P>(T(1e6))), exact, x);
  }
}

template <real_pack P>
KROTON_INLINE P asin(const P& x) noexcept {
  return map_either([](const auto& v) { return xsimd::asin(v); }, [](auto v) { return std::asin(v); }, x);
}

template <real_pack P>
KROTON_INLINE P acos(const P& x) noexcept {
  return map_either([](const auto& v) { return xsimd::acos(v); }, [](auto v) { return std::acos(v); }, x);
}

template <real_pack P>
KROTON_INLINE P atan(const P& x) noexcept {
  return map_either([](const auto& v) { return xsimd::atan(v); }, [](auto v) { return std::atan(v); }, x);
}

/// The angle of the point (x, y), in (-pi, pi].
template <real_pack P>
KROTON_INLINE P atan2(const P& y, const P& x) noexcept {
  return map_lanes<P>([](auto b, auto a) { return std::atan2(b, a); }, y, x);
}

template <real_pack P>
KROTON_INLINE P sinh(const P& x) noexcept {
  return map_either([](const auto& v) { return xsimd::sinh(v); }, [](auto v) { return std::sinh(v); }, x);
}

template <real_pack P>
KROTON_INLINE P cosh(const P& x) noexcept {
  return map_either([](const auto& v) { return xsimd::cosh(v); }, [](auto v) { return std::cosh(v); }, x);
}

/// P and Q of tanh(x) = x (1/8 + P/Q) in x^2 for |x| < 9.02, to a relative error of 2^-25. The eighth is what
/// the constant is to erf. 3.5 ulp, or 4.0 without a fused product and sum.
inline constexpr auto tanh_numerator =
    std::to_array<float>({-8.40317043e-08f, -2.04722692e-05f, 0.000262125744f, 0.075434804f, 0.875f});
inline constexpr auto tanh_denominator =
    std::to_array<float>({7.79399898e-07f, 0.000328918133f, 0.0258858874f, 0.467163444f, 1});

template <real_pack P>
KROTON_INLINE P tanh(const P& x) noexcept {
  using T = typename P::value_type;
  if constexpr (!P::vectorised) {
    return map_lanes<P>([](auto v) { return std::tanh(v); }, x);
  } else if constexpr (std::same_as<T, float>) {
    const P a = bounded(x, -9.02f, 9.02f), square = a * a;
    const P quotient = a * polynomial(square, tanh_numerator) / polynomial(square, tanh_denominator);
    const P result = fma(a, broadcast<P>(0.125f), quotient);
    return fma_is_fused ? result : bounded(result, -1, 1);
  } else {
    const P a = bounded(x, -20, 20), e = expm1_of_bounded(a + a);
    return copysign(e / (e + broadcast<P>(T(2))), x);
  }
}

template <real_pack P>
KROTON_INLINE P asinh(const P& x) noexcept {
  return map_either([](const auto& v) { return xsimd::asinh(v); }, [](auto v) { return std::asinh(v); }, x);
}

/// NaN below 1, where xsimd 8.1 gives numbers.
template <real_pack P>
KROTON_INLINE P acosh(const P& x) noexcept {
  using T = typename P::value_type;
  const P inside = map_either([](const auto& v) { return xsimd::acosh(v); }, [](auto v) { return std::acosh(v); }, x);
  return select(x < broadcast<P>(T{1}), broadcast<P>(std::numeric_limits<T>::quiet_NaN()), inside);
}

template <real_pack P>
KROTON_INLINE P atanh(const P& x) noexcept {
  return map_either([](const auto& v) { return xsimd::atanh(v); }, [](auto v) { return std::atanh(v); }, x);
}

}  // namespace kroton::simd
