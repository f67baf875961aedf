// This header has the operation binomial: binomial numbers from random bits, counts and probabilities.
#pragma once

#include <kroton/arithmetic/counts.hpp>
#include <kroton/graph/ops/number_by_rejection.hpp>

namespace kroton::ops {

struct binomial : number_by_rejection<binomial, 2> {
  static constexpr const char* name = "binomial";
  static constexpr bool piecewise_constant = true;
  template <class T>
  static KROTON_HD T number(const simd::further_numbers<T>& of_element, T count, T p) {
    return simd::binomial(of_element, count, p);
  }
};

}  // namespace kroton::ops
