// This header has the operations standard_gamma: gamma numbers of rate 1 from random bits and shapes, and gamma_slope:
// by how much such a number changes with its shape.
#pragma once

#include <kroton/arithmetic/gamma_numbers.hpp>
#include <kroton/arithmetic/gamma_slope.hpp>
#include <kroton/graph/ops/number_by_rejection.hpp>

namespace kroton::ops {

/// Of a shape and a number. It has no derivative itself.
struct gamma_slope : elementwise<gamma_slope, 2, operands::floating> {
  static constexpr const char* name = "gamma_slope";
  static constexpr int cost = 500;
  static constexpr bool has_kernel(backend_kind, dtype type) { return type == dtype::float64; }
  template <std::same_as<double> T>
  static KROTON_HD T apply(T shape, T number) {
    return simd::gamma_slope(shape, number);
  }
  template <simd::any_pack P>
  static P apply(const P& shape, const P& number) {
    return simd::map_lanes<P>([](double a, double x) { return apply(a, x); }, shape, number);
  }
};

struct standard_gamma : number_by_rejection<standard_gamma, 1> {
  static constexpr const char* name = "standard_gamma";
  template <class T>
  static KROTON_HD T number(const simd::further_numbers<T>& of_element, T shape) {
    return simd::standard_gamma(of_element, shape);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(1, b.seed() * graph_layer::map<gamma_slope>(b.operand(1), b.result()));
  }
};

}  // namespace kroton::ops
