// This header has Gaussian error linear units of packs.
#pragma once

#include <kroton/arithmetic/simd/normal.hpp>

namespace kroton::simd {

/// Whether gelu of these is made of float arithmetic; otherwise it is made of erfc, and of floats in double.
template <real_pack P>
inline constexpr bool has_gelu_fit = (fma_is_fused) && (P::vectorised) && (std::same_as<typename P::value_type, float>);

/// x times the probability that a standard normal variable is at most x. Floats to a relative error of 2^-20 down to
/// -13, doubles to 2^-48 down to -37.5.
template <real_pack P>
KROTON_INLINE P gelu(const P& x) noexcept {
  using T = typename P::value_type;
  if constexpr (has_gelu_fit<P>) {
    const P a = at_most(abs(x), gelu_fit::end);
    const P scaled = a * polynomial(a, gelu_fit::numerator) / polynomial(a, gelu_fit::denominator);
    return at_least(x, 0) - gaussian<1, rough_exp_coefficients>(a, scaled);
  } else if constexpr (std::same_as<T, float>) {
    return convert<float>(gelu(convert<double>(x)));
  } else {
    const P right = maximum(x, broadcast<P>(T(-normal_limit)));
    return right * normal_cdf(right);
  }
}

/// Its derivative. On the right of 0 it is 1 less that of -x.
template <real_pack P>
KROTON_INLINE P gelu_derivative(const P& x) noexcept {
  using T = typename P::value_type;
  if constexpr (has_gelu_fit<P>) {
    const P a = at_most(abs(x), gelu_fit::end);
    const P scaled = polynomial(a, gelu_fit::numerator) / polynomial(a, gelu_fit::denominator);
    const P left = gaussian<1, rough_exp_coefficients>(a, fma(a, broadcast<P>(T(-density_at_0)), scaled));
    return select(x < broadcast<P>(0), left, broadcast<P>(1) - left);
  } else if constexpr (std::same_as<T, float>) {
    return convert<float>(gelu_derivative(convert<double>(x)));
  } else {
    const P t = bounded(x, T(-normal_limit), T(normal_limit));
    return fma(t, normal_pdf(t), normal_cdf(t));
  }
}

/// Its approximation by tanh.
template <real_pack P>
KROTON_INLINE P gelu_tanh(const P& x) noexcept {
  using T = typename P::value_type;
  using by = gelu_tanh_constants;
  const P right = maximum(x, broadcast<P>(T(-by::limit))), t = minimum(right, broadcast<P>(T(by::limit)));
  return right * sigmoid(t * fma(broadcast<P>(T(by::third)), t * t, broadcast<P>(T(by::first))));
}

/// The derivative of gelu_tanh.
template <real_pack P>
KROTON_INLINE P gelu_tanh_derivative(const P& x) noexcept {
  using T = typename P::value_type;
  using by = gelu_tanh_constants;
  const P one = broadcast<P>(T{1}), zero = broadcast<P>(T{0}), first = broadcast<P>(T(by::first));
  const P t = minimum(maximum(x, broadcast<P>(T(-by::limit))), broadcast<P>(T(by::limit))), square = t * t;
  const P u = t * fma(broadcast<P>(T(by::third)), square, first);
  const P e = exp(-abs(u)), above = one / (one + e), below = e * above;
  return fma(t * (below * above), fma(broadcast<P>(T(3 * by::third)), square, first), select(u < zero, below, above));
}

}  // namespace kroton::simd
