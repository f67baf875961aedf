// This header has the operation unit_interval: a number in [0, 1) from random bits.
#pragma once

#include <kroton/graph/ops/random_bits.hpp>

namespace kroton::ops {

/// A multiple of 2^-Digits: of 32 random bits as a float, of 52 as a double.
template <int Digits>
struct unit_interval : number_of_bits<unit_interval<Digits>> {
  static constexpr const char* name = "unit_interval";
  static constexpr int cost = 3;
  using value = std::conditional_t<Digits <= 24, float, double>;
  static constexpr dtype result(const dtype*, int) { return dtype_of<value>; }
  template <class B>
  static KROTON_HD auto apply(const B& bits) {
    return simd::unit_interval<Digits>(bits);
  }
  static double reference(dtype, const double* bits, int) {
    constexpr int given = Digits <= 24 ? 32 : Digits;
    return std::floor(std::ldexp(*bits, Digits - given)) * std::ldexp(1.0, -Digits);
  }
};

}  // namespace kroton::ops
