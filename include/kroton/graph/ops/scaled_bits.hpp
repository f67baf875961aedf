// This header has the operation scaled_bits: an integer below a bound from random bits.
#pragma once

#include <kroton/arithmetic/simd/draws.hpp>
#include <kroton/graph/elementwise.hpp>

namespace kroton::ops {

/// floor(bits * bound / 2^64) of 64 random bits: in [0, bound), each number with a probability that differs from
/// 1/bound by less than 2^-64. Lemire, "Fast random integer generation in an interval", 2019.
struct scaled_bits : elementwise<scaled_bits, 2, operands::integral> {
  static constexpr const char* name = "scaled_bits";
  static constexpr int cost = 6;
  static constexpr std::int64_t integer_reference(dtype, const std::int64_t* x, int) {
    return static_cast<std::int64_t>(
        simd::scaled_bits(static_cast<std::uint64_t>(x[0]), static_cast<std::uint64_t>(x[1])));
  }
  template <class V>
  static constexpr KROTON_HD V apply(const V& bits, const V& bound) {
    return simd::scaled_bits(bits, bound);
  }
};

}  // namespace kroton::ops
