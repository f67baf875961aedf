// This header has the operation poisson: Poisson numbers from random bits and rates.
#pragma once

#include <kroton/arithmetic/counts.hpp>
#include <kroton/graph/ops/number_by_rejection.hpp>

namespace kroton::ops {

struct poisson : number_by_rejection<poisson, 1> {
  static constexpr const char* name = "poisson";
  static constexpr bool piecewise_constant = true;
  template <class T>
  static KROTON_HD T number(const simd::further_numbers<T>& of_element, T rate) {
    return simd::poisson(of_element, rate);
  }
};

}  // namespace kroton::ops
