// This header makes packs of one element type from packs of another.
#pragma once

#include <kroton/arithmetic/simd/arithmetic.hpp>
#include <kroton/arithmetic/simd/comparison.hpp>
#include <kroton/arithmetic/simd/widen.hpp>

namespace kroton::simd {

/// Whether xsimd has one instruction, or a few, from a register of `From` to a register of `To`. Its other
/// conversions are loops that have the undefined behaviour of static_cast.
template <class To, class From>
inline constexpr bool converts_by_register = (std::same_as<From, std::int32_t> && std::same_as<To, float>) ||
                                             (std::same_as<From, float> && std::same_as<To, std::int32_t>)
#if defined(__AVX512DQ__)
                                             || (native_bytes == 64 &&
                                                 ((std::same_as<From, std::int64_t> && std::same_as<To, double>) ||
                                                  (std::same_as<From, double> && std::same_as<To, std::int64_t>)))
#endif
    ;

/// Every lane as a `To` with the meaning of static_cast, except that reals out of the range of an integer
/// type go to its nearest bound, and NaN to 0.
template <number To, class From, int W>
KROTON_INLINE pack<To, W> convert(const pack<From, W>& p) noexcept {
  using in = pack<From, W>;
  using out = pack<To, W>;
  if constexpr (std::same_as<To, From>) {
    return p;
  } else if constexpr (std::same_as<To, double> && std::same_as<From, float> && has_widening<W>) {
    return widen(p);
  } else if constexpr (std::same_as<To, float> && std::same_as<From, double> && has_widening<W>) {
    return narrow(p);
  } else if constexpr (converts_by_register<To, From> && in::vectorised &&
                       (sizeof(To) == 4 || sizeof(typename in::part_type) == 64)) {
    const out raw = map_parts<out>(
        [](const auto& x) -> typename out::part_type {
#if defined(__AVX512DQ__)  // for which xsimd 8.1 has a loop of static_cast
          if constexpr (sizeof(To) == 8 && real<To>) return _mm512_cvtepi64_pd(x);
          else if constexpr (sizeof(To) == 8) return _mm512_cvttpd_epi64(x);
          else
#endif
            return xsimd::batch_cast<To>(x);
        },
        p);
    if constexpr (real<To>) {
      return raw;
    } else {
      // Where x86 cannot convert it gives the smallest integer, which is right on the left only.
      const auto beyond = broadcast<in>(-static_cast<From>(std::numeric_limits<To>::min()));
      const out bounded = select(p >= beyond, broadcast<out>(std::numeric_limits<To>::max()), raw);
      return select(p == p, bounded, broadcast<out>(To{0}));
    }
  } else {
    return map_lanes<out>([](From x) { return convert<To>(x); }, p);
  }
}

/// 1 where the mask holds, else 0.
template <number To, int Bytes, int W>
KROTON_INLINE pack<To, W> convert(const mask<Bytes, W>& m) noexcept {
  using out = pack<To, W>;
  return select(m, broadcast<out>(To{1}), broadcast<out>(To{0}));
}

/// Where a pack is not 0, as converting a number to bool does.
template <std::same_as<bool> To, any_pack P>
KROTON_INLINE constexpr auto convert(const P& p) noexcept {
  return is_nonzero(p);
}

/// A mask as it is.
template <std::same_as<bool> To, any_mask M>
KROTON_INLINE constexpr M convert(const M& m) noexcept {
  return m;
}

}  // namespace kroton::simd
