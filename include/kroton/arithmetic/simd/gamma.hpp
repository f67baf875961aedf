// This header has the gamma function and its logarithm.
#pragma once

#include <kroton/arithmetic/simd/basic.hpp>

namespace kroton::simd {

// Lane by lane: xsimd 8.1 does not return from these for some arguments.

template <real_pack P>
KROTON_INLINE P tgamma(const P& x) noexcept {
  return map_lanes<P>([](auto v) { return std::tgamma(v); }, x);
}

/// log|gamma(x)|. (std::lgamma also writes the sign to a global variable, which nothing here reads.)
template <real_pack P>
KROTON_INLINE P lgamma(const P& x) noexcept {
  return map_lanes<P>([](auto v) { return std::lgamma(v); }, x);
}

}  // namespace kroton::simd
