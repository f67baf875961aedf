// This header has the operations truncated_normal and open_interval: numbers from random bits, of which truncated
// normal numbers are made.
#pragma once

#include <kroton/arithmetic/simd/normal_quantile.hpp>
#include <kroton/graph/ops/standard_normal.hpp>

namespace kroton::ops {

/// A standard normal number that is in [-2, 2].
struct truncated_normal : quantile_of_bits<truncated_normal> {
  static constexpr const char* name = "truncated_normal";
  template <class B>
  static KROTON_HD auto apply(const B& bits) {
    return simd::truncated_normal(bits);
  }
  static double quantile(const simd::draw_place<bool, double>& at) {
    const double z = simd::normal_quantile(simd::below_two + simd::within_two * at.end);
    return at.is_above ? -z : z;
  }
};
/// A number in (0, 1), or how far it is below 1, from the same bits. Both have all digits near 0.
template <bool FromEnd>
struct open_interval : quantile_of_bits<open_interval<FromEnd>> {
  static constexpr const char* name = "open_interval";
  template <class B>
  static KROTON_HD auto apply(const B& bits) {
    return simd::open_interval<FromEnd>(bits);
  }
  static double quantile(const simd::draw_place<bool, double>& at) {
    return at.is_above == FromEnd ? at.end : 1 - at.end;
  }
};

}  // namespace kroton::ops
