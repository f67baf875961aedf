// Exponentials and logarithms, and the logistic functions made of them, within 4 units in the last place
// everywhere.
#pragma once

#include <kroton/kernel/simd/polynomial.hpp>

namespace kroton::simd {

/// exp(x) for |x| <= scale_step * ln(2)/2, to a relative error of 2^-23 or 2^-26 for floats, and of 2^-56 for
/// doubles.
template <real T>
inline constexpr auto exp_coefficients = [] {
  if constexpr (std::same_as<T, float> && has_scale)
    return std::to_array<float>({0.00828881934f, 0.04189853f, 0.166676581f, 0.499991447f, 0.999999702f, 1});
  else if constexpr (std::same_as<T, float>)
    return std::to_array<float>(
        {0.000196310546f, 0.00141055603f, 0.00833596382f, 0.0416611955f, 0.166666165f, 0.500000358f, 1, 1});
  else if constexpr (has_scale)
    return std::to_array<double>({2.501044556232043e-08, 2.7630502146605104e-07, 2.7557552489879973e-06,
                                  2.480149235894926e-05, 0.0001984126954633182, 0.001388888894439363,
                                  0.008333333333474812, 0.0416666666665269, 0.16666666666666446,
                                  0.5000000000000011, 1, 1});
  else
    return std::to_array<double>({1.5908905776287475e-10, 2.1063670782111374e-09, 2.505557186434507e-08,
                                  2.755613960144961e-07, 2.7557296397890614e-06, 2.4801590923817096e-05,
                                  0.00019841269909440292, 0.0013888888883363067, 0.008333333333236307,
                                  0.04166666666670414, 0.1666666666666726, 0.4999999999999992,
                                  0.9999999999999999, 1});
}();

/// 2^x for |x| <= scale_step / 2, to the same errors.
template <real T>
inline constexpr auto exp2_coefficients = [] {
  if constexpr (std::same_as<T, float> && has_scale)
    return std::to_array<float>(
        {0.00132726389f, 0.00967152882f, 0.0555070415f, 0.240222424f, 0.693147004f, 1});
  else if constexpr (std::same_as<T, float>)
    return std::to_array<float>({1.49276357e-05f, 0.000156460461f, 0.00133415428f, 0.00961683784f,
                                 0.0555036664f, 0.240226686f, 0.693147242f, 1});
  else if constexpr (has_scale)
    return std::to_array<double>({4.4394911146970573e-10, 7.0733337474267184e-09, 1.0178156353583169e-07,
                                  1.3215438233937553e-06, 1.5252733641424277e-05, 0.00015403530450288356,
                                  0.0013333558146540457, 0.009618129107600562, 0.055504108664821736,
                                  0.2402265069591011, 0.6931471805599453, 1});
  else
    return std::to_array<double>({1.3580341986448932e-12, 2.5908607670285668e-11, 4.446086073817064e-10,
                                  7.054608651588071e-09, 1.0178078633218633e-07, 1.3215488733940197e-06,
                                  1.5252733848061085e-05, 0.0001540353038716154, 0.0013333558146308338,
                                  0.009618129107637416, 0.05550410866482284, 0.2402265069591003,
                                  0.6931471805599453, 1});
}();

/// ln(2) in two numbers, the first so short that its products with exponents are exact.
template <real T>
inline constexpr T ln2_high = std::same_as<T, float> ? T(0.693145751953125) : T(0.693147180369123816490);
template <real T>
inline constexpr T ln2_low = std::same_as<T, float> ? T(1.42860682030941723212e-6)
                                                    : T(1.90821492927058770002e-10);

/// exp of numbers that are not so far out that the power of two would not fit in `scale`.
template <real_pack P>
P exp_of_bounded(const P& x) noexcept {
  using T = typename P::value_type;
  const P shifted = fma(x, broadcast<P>(T(1.4426950408889634074 / scale_step)), broadcast<P>(to_whole<T>));
  const P n = shifted - broadcast<P>(to_whole<T>);
  const P near = fma(n, broadcast<P>(-scale_step * ln2_high<T>), x);
  const P rest = fma(n, broadcast<P>(-scale_step * ln2_low<T>), near);
  return scale(polynomial(rest, exp_coefficients<T>), shifted);
}

template <real_pack P>
P exp(const P& x) noexcept {
  if constexpr (!P::vectorised)
    return map_lanes<P>([](auto v) { return std::exp(v); }, x);
  else  // at these bounds the result is 0 or infinite already
    return exp_of_bounded(bounded(x, by_type<P>(-104.0f, -746.0), by_type<P>(89.0f, 710.0)));
}

template <real_pack P>
P exp2(const P& x) noexcept {
  using T = typename P::value_type;
  if constexpr (!P::vectorised) {
    return map_lanes<P>([](auto v) { return std::exp2(v); }, x);
  } else {
    const P a = bounded(x, by_type<P>(-151.0f, -1076.0), by_type<P>(129.0f, 1025.0));
    const P shifted = fma(a, broadcast<P>(T(1.0 / scale_step)), broadcast<P>(to_whole<T>));
    const P n = shifted - broadcast<P>(to_whole<T>);
    return scale(polynomial(fma(n, broadcast<P>(T(-scale_step)), a), exp2_coefficients<T>), shifted);
  }
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
