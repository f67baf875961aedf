// This header has powers.
#pragma once

#include <kroton/arithmetic/simd/convert.hpp>
#include <kroton/arithmetic/simd/logarithm.hpp>

namespace kroton::simd {

/// x to the power y with the special cases of C99. Of floats, computed as exp(y*log|x|) in double, where the
/// error of the exponent is far below what a float result can show.
template <real_pack P>
KROTON_INLINE P pow(const P& x, const P& y) noexcept {
  using T = typename P::value_type;
  if constexpr (!P::vectorised || !pack<double, P::size>::vectorised || !std::same_as<T, float>) {
    return map_lanes<P>([](auto a, auto b) { return std::pow(a, b); }, x, y);
  } else {
    using wide = rebind<double, P>;
    const P one = broadcast<P>(1.0f), zero = broadcast<P>(0.0f), half = broadcast<P>(0.5f);
    const P infinity = broadcast<P>(std::numeric_limits<float>::infinity());
    const P base = abs(x);
    const wide exponent = convert<double>(y) * log(convert<double>(base));
    // Beyond these bounds the float is 0 or infinite.
    const P power = convert<float>(exp_of_bounded(bounded(exponent, -200, 200)));

    const auto whole = trunc(y) == y;
    const auto odd = whole & (trunc(y * half) != y * half);
    const P with_sign = select(odd, copysign(power, x), power);
    const auto undefined = (x < zero) & (base < infinity) & !whole;
    const P defined = select(undefined, broadcast<P>(std::numeric_limits<float>::quiet_NaN()), with_sign);
    const auto is_one = (y == zero) | (x == one) | ((base == one) & (abs(y) == infinity));
    return select(is_one, one, defined);
  }
}

}  // namespace kroton::simd
