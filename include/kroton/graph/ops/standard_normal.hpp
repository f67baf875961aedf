// This header has the operations standard_normal and standard_exponential: numbers of these distributions from random
// bits.
#pragma once

#include <kroton/graph/ops/random_bits.hpp>

#include <algorithm>

namespace kroton::ops {

/// What both have in common: a float from 32 random bits, a double from 52.
template <class Op>
struct quantile_of_bits : number_of_bits<Op> {
  static constexpr int cost = 30;
  static constexpr dtype result(const dtype* types, int) {
    return types[0] == dtype::uint64 ? dtype::float64 : dtype::float32;
  }
  static double reference(dtype type, const double* bits, int) {
    const double u = std::ldexp(*bits + 0.5, type == dtype::uint64 ? -52 : -32), end = std::min(u, 1 - u);
    return Op::quantile({u > 0.5, end, 1 - 2 * end});
  }
};

struct standard_normal : quantile_of_bits<standard_normal> {
  static constexpr const char* name = "standard_normal";
  template <class B>
  static KROTON_HD auto apply(const B& bits) {
    return simd::standard_normal(bits);
  }
  static double quantile(const simd::draw_place<bool, double>& at) { return simd::normal_quantile(at); }
};
struct standard_exponential : quantile_of_bits<standard_exponential> {
  static constexpr const char* name = "standard_exponential";
  template <class B>
  static KROTON_HD auto apply(const B& bits) {
    return simd::standard_exponential(bits);
  }
  static double quantile(const simd::draw_place<bool, double>& at) { return simd::exponential_quantile(at); }
};

}  // namespace kroton::ops
