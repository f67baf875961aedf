// Exponentials and logarithms, and the logistic functions made of them, within 4 units in the last place
// everywhere.
#pragma once

#include <kroton/kernel/simd/guard.hpp>

namespace kroton::simd {

// xsimd turns small results into 0 instead of denormal numbers, and overflows a little early. Further out, at
// -inf say, it is right again, which matters since masked softmax gets there all the time.

template <real_pack P>
P exp(const P& x) noexcept {
  constexpr auto exact = [](auto v) { return std::exp(v); };
  if constexpr (!P::vectorised)
    return map_lanes<P>(exact, x);
  else
    return mend(map_parts<P>([](const auto& v) { return xsimd::exp(v); }, x),
                between(by_type<P>(87.0f, 708.0), abs(x), by_type<P>(104.0f, 746.0)), exact, x);
}

template <real_pack P>
P exp2(const P& x) noexcept {
  constexpr auto exact = [](auto v) { return std::exp2(v); };
  if constexpr (!P::vectorised)
    return map_lanes<P>(exact, x);
  else
    return mend(map_parts<P>([](const auto& v) { return xsimd::exp2(v); }, x),
                between(by_type<P>(125.5f, 1021.5), abs(x), by_type<P>(151.0f, 1076.0)), exact, x);
}

/// exp(x) - 1 without cancellation near 0.
template <real_pack P>
P expm1(const P& x) noexcept {
  constexpr auto exact = [](auto v) { return std::expm1(v); };
  if constexpr (!P::vectorised)
    return map_lanes<P>(exact, x);
  else  // copysign, as xsimd 8.1 makes a +0 of -0
    return mend(copysign(map_parts<P>([](const auto& v) { return xsimd::expm1(v); }, x), x),
                between(by_type<P>(87.0f, 708.0), x, by_type<P>(89.0f, 710.0)), exact, x);
}

/// Where xsimd's logarithms of doubles are wrong: at denormal numbers.
template <real_pack P>
auto is_positive_denormal(const P& x) noexcept {
  return between(typename P::value_type{0}, x, std::numeric_limits<typename P::value_type>::min());
}

template <real_pack P>
P log(const P& x) noexcept {
  constexpr auto exact = [](auto v) { return std::log(v); };
  if constexpr (!P::vectorised)
    return map_lanes<P>(exact, x);
  else
    return mend(map_parts<P>([](const auto& v) { return xsimd::log(v); }, x), is_positive_denormal(x), exact,
                x);
}

template <real_pack P>
P log2(const P& x) noexcept {
  constexpr auto exact = [](auto v) { return std::log2(v); };
  if constexpr (!P::vectorised)
    return map_lanes<P>(exact, x);
  else
    return mend(map_parts<P>([](const auto& v) { return xsimd::log2(v); }, x), is_positive_denormal(x), exact,
                x);
}

template <real_pack P>
P log10(const P& x) noexcept {
  constexpr auto exact = [](auto v) { return std::log10(v); };
  if constexpr (!P::vectorised)
    return map_lanes<P>(exact, x);
  else
    return mend(map_parts<P>([](const auto& v) { return xsimd::log10(v); }, x), is_positive_denormal(x),
                exact, x);
}

/// log(1 + x) without cancellation near 0.
template <real_pack P>
P log1p(const P& x) noexcept {
  if constexpr (!P::vectorised)
    return map_lanes<P>([](auto v) { return std::log1p(v); }, x);
  else  // copysign, as xsimd 8.1 makes a +0 of -0
    return copysign(map_parts<P>([](const auto& v) { return xsimd::log1p(v); }, x), x);
}

/// 1/(1+exp(-x)), written so that the small results on the left keep their relative accuracy.
template <real_pack P>
P sigmoid(const P& x) noexcept {
  const P one = broadcast<P>(typename P::value_type{1});
  const P e = exp(-abs(x));
  return select(x < broadcast<P>(typename P::value_type{0}), e, one) / (one + e);
}

/// log(1+exp(x)), which neither overflows on the right nor loses its small results on the left.
template <real_pack P>
P softplus(const P& x) noexcept {
  const P zero = broadcast<P>(typename P::value_type{0});
  return select(x > zero, x, zero) + log1p(exp(-abs(x)));
}

}  // namespace kroton::simd
