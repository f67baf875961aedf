// Gaussian error linear units of packs.
#pragma once

#include <kroton/kernel/simd/error_function.hpp>

namespace kroton::simd {

/// x times the probability that a standard normal variable is at most x.
template <real_pack P>
KROTON_INLINE P gelu(const P& x) noexcept {
  using T = typename P::value_type;
  const P right = maximum(x, broadcast<P>(T(gelu_limit)));
  return broadcast<P>(T(0.5)) * right * erfc(right * broadcast<P>(T(-0.5 * std::numbers::sqrt2)));
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
