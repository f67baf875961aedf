// This header has what an element draws where one random number is not enough, as where numbers are rejected: further
// random numbers from the random bits of the element, and the functions by which it decides. As those of draws.hpp,
// they are made of operations that all processors round alike, so that all devices decide alike.
//
//     64 random bits of the element  ->  further_numbers  ->  uniform(), normal(), exponential(), uniform(), ...
//
// All numbers are doubles. The functions of this header and those made of them are templates nevertheless, so that only
// files that use them compile them.
#pragma once

#include <kroton/arithmetic/normal_quantile.hpp>

namespace kroton::simd {

/// The further numbers of one element. Its 64 random bits are the state of a SplitMix64 generator: Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators", 2014. Two elements share numbers where their bits are a few
/// steps of the generator apart, which is as unlikely as equal bits.
template <std::same_as<double> T>
class further_numbers {
 public:
  KROTON_HD explicit constexpr further_numbers(std::uint64_t bits) noexcept : state_(bits) {}

  /// In (0, 1), an odd multiple of 2^-53.
  KROTON_HD T uniform() noexcept { return std::fma(number_of(digits()), T(0x1p-52), T(0x1p-53)); }
  KROTON_HD T normal() noexcept { return standard_normal(digits()); }
  KROTON_HD T exponential() noexcept { return standard_exponential(digits()); }

 private:
  std::uint64_t state_;

  /// 52 random bits.
  KROTON_HD constexpr std::uint64_t digits() noexcept {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) >> 12;
  }
};

/// a * b, rounded before it is added to anything: compilers would fuse a plain product with the sum, or not.
template <std::same_as<double> T>
KROTON_HD T rounded_product(T a, T b) noexcept {
  return std::fma(a, b, T(0));
}

/// 1/n! for n = 13, 12, ..., 0.
inline constexpr std::array<double, 14> exp_series{1.6059043836821613e-10,
                                                   2.08767569878681e-09,
                                                   2.505210838544172e-08,
                                                   2.755731922398589e-07,
                                                   2.7557319223985893e-06,
                                                   2.48015873015873e-05,
                                                   1.984126984126984e-04,
                                                   1.3888888888888889e-03,
                                                   8.333333333333333e-03,
                                                   4.1666666666666664e-02,
                                                   1.6666666666666666e-01,
                                                   0.5,
                                                   1,
                                                   1};
/// exp(x): a series around the nearest multiple of ln(2), which is two numbers, of which the first is so short that its
/// products are exact.
template <std::same_as<double> T>
KROTON_HD_CALLED T exp_of(T x) noexcept {
  if (x < -746) return 0;
  if (!(x <= 710)) return x > 710 ? std::numeric_limits<T>::infinity() : x;
  constexpr T to_whole = 0x1.8p52;
  const T n = std::fma(x, 1.4426950408889634, to_whole) - to_whole;
  const T rest = std::fma(-n, 1.90821492927058770002e-10, std::fma(-n, 0.693147180369123816490, x));
  const int exponent = static_cast<int>(n), half = exponent / 2;  // the power of two itself may be denormal
  const auto power = [](int e) { return __builtin_bit_cast(double, static_cast<std::uint64_t>(e + 1023) << 52); };
  return horner<exp_series>(rest) * power(half) * power(exponent - half);
}

}  // namespace kroton::simd
