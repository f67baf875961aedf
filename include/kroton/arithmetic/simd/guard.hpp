// This header keeps the vector functions accurate: they are fast everywhere, and the few lanes where xsimd is wrong are
// computed again.
#pragma once

#include <kroton/arithmetic/simd/basic.hpp>

namespace kroton::simd {

/// `fast`, except that the lanes in `bits` become `exact` of the lanes of `p`. Out of line, since it is
/// almost never needed.
template <class Exact, real_pack P, class... More>
[[gnu::noinline, gnu::cold]] P recompute(const P& fast, std::uint64_t bits, Exact exact, const P& p,
                                         const More&... more) noexcept {
  auto out = to_array(fast);
  return [&](const auto&... in) {
    for (; bits != 0; bits &= bits - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(bits));
      out[i] = exact(in[i]...);
    }
    return from_array<P>(out);
  }(to_array(p), to_array(more)...);
}

/// `fast`, except that lanes where `wrong` holds become `exact` of the lanes of `p`.
template <class Exact, int Bytes, real_pack... P>
KROTON_INLINE auto mend(const std::common_type_t<P...>& fast, const mask<Bytes, std::common_type_t<P...>::size>& wrong,
                        Exact exact, const P&... p) noexcept {
  if (any(wrong)) [[unlikely]]
    return recompute(fast, to_bits(wrong), exact, p...);
  return fast;
}

/// Where low < x < high.
template <real_pack P>
KROTON_INLINE auto between(typename P::value_type low, const P& x, typename P::value_type high) noexcept {
  return (x > broadcast<P>(low)) & (x < broadcast<P>(high));
}

/// `f` for float packs, `d` for double packs: bounds differ, formulas seldom do.
template <real_pack P>
KROTON_INLINE constexpr auto by_type(float f, double d) noexcept {
  if constexpr (std::same_as<typename P::value_type, float>) return f;
  else return d;
}

}  // namespace kroton::simd
