// This header has polynomials, and the other pieces that the elementary functions are made of.
#pragma once

#include <kroton/arithmetic/simd/guard.hpp>

namespace kroton::simd {

// All coefficients in this folder are made with mpmath at 60 digits: least squares over Chebyshev nodes,
// reweighted until the relative error is level (Lawson's iteration), rounded to the type one after another
// from the lowest power with the others fitted again. They are listed from the highest power.

/// Every second coefficient from the one at `First`, by Horner's rule.
template <std::size_t First, real_pack P, std::size_t Count>
KROTON_INLINE P every_second(const P& square, const std::array<typename P::value_type, Count>& coefficients) noexcept {
  P sum = broadcast<P>(coefficients[First]);
  [&]<std::size_t... Index>(std::index_sequence<Index...>) KROTON_INLINE_LAMBDA {
    ((sum = fma(sum, square, broadcast<P>(coefficients[First + 2 + 2 * Index]))), ...);
  }
  (std::make_index_sequence<(Count - First - 1) / 2>{});
  return sum;
}

/// A polynomial by Horner's rule, highest power first. The even and the odd powers of a long one are apart,
/// as one sum would keep the processor waiting for itself.
template <real_pack P, std::size_t Count>
KROTON_INLINE P polynomial(const P& x, const std::array<typename P::value_type, Count>& coefficients) noexcept {
  if constexpr (Count > 7) {
    const P square = x * x;
    const P first = every_second<0>(square, coefficients), second = every_second<1>(square, coefficients);
    return Count % 2 == 0 ? fma(first, x, second) : fma(second, x, first);
  } else {
    P sum = broadcast<P>(coefficients[0]);
    [&]<std::size_t... Index>(std::index_sequence<Index...>) KROTON_INLINE_LAMBDA {
      ((sum = fma(sum, x, broadcast<P>(coefficients[Index + 1]))), ...);
    }
    (std::make_index_sequence<Count - 1>{});
    return sum;
  }
}

// One instruction fewer than comparing and selecting. x86 returns the second operand if either is NaN.

/// The smaller of `x` and `high`; a NaN stays.
template <real_pack P>
KROTON_INLINE P at_most(const P& x, typename P::value_type high) noexcept {
  return map_parts<P>([=](const auto& v) KROTON_INLINE_LAMBDA { return xsimd::min(typename P::part_type(high), v); },
                      x);
}

/// The larger of `x` and `low`; a NaN stays.
template <real_pack P>
KROTON_INLINE P at_least(const P& x, typename P::value_type low) noexcept {
  return map_parts<P>([=](const auto& v) KROTON_INLINE_LAMBDA { return xsimd::max(typename P::part_type(low), v); }, x);
}

/// `x`, or the bound that it is beyond; a NaN stays.
template <real_pack P>
KROTON_INLINE P bounded(const P& x, typename P::value_type low, typename P::value_type high) noexcept {
  return at_least(at_most(x, high), low);
}

}  // namespace kroton::simd
