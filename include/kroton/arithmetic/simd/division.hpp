// This header has remainders, and quotients that are rounded down, of packs: lane by lane what scalar.hpp says of
// numbers.
#pragma once

#include <kroton/arithmetic/simd/pack.hpp>

namespace kroton::simd {

/// The remainder of the division towards zero; it has the sign of `a`.
template <any_pack P>
KROTON_INLINE constexpr P remainder(const P& a, const P& b) noexcept {
  return map_lanes<P>([](auto x, auto y) { return remainder(x, y); }, a, b);
}

/// The quotient rounded down.
template <any_pack P>
KROTON_INLINE constexpr P floor_quotient(const P& a, const P& b) noexcept {
  return map_lanes<P>([](auto x, auto y) { return floor_quotient(x, y); }, a, b);
}

/// The remainder of the division rounded down; it has the sign of `b`.
template <any_pack P>
KROTON_INLINE constexpr P floor_remainder(const P& a, const P& b) noexcept {
  return map_lanes<P>([](auto x, auto y) { return floor_remainder(x, y); }, a, b);
}

}  // namespace kroton::simd
