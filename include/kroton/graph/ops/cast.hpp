// This header has the operation cast: conversion of the element type.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
/// The node's type is the target. Floating to integer truncates and saturates, NaN becomes 0.
struct cast : elementwise<cast, 1, operands::any> {
  static constexpr const char* name = "cast";
  static constexpr int cost = 1;
  static constexpr bool linear = true;
  static constexpr double reference(dtype, const double* x, int) { return x[0]; }
  static constexpr std::int64_t integer_reference(dtype, const std::int64_t* x, int) { return x[0]; }
  template <class B>
  static constexpr void backward(B& b) {
    if (is_floating(b.operand(0).type())) b.add(0, kt::cast(b.seed(), b.operand(0).type()));
  }
};
}  // namespace ops

namespace graph {
/// A floating-point number as an element of the integer or bool `to`, in 64 bits.
constexpr std::int64_t saturated(dtype to, double value) {
  if (to == dtype::boolean) return value != 0;
  return with_element(to, [&]<class T>() -> std::int64_t {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      return static_cast<std::int64_t>(simd::convert<T>(value));
    else return 0;
  });
}
}  // namespace graph

constexpr term cast(term x, dtype type) {
  if (x.type() == type) return x;
  return graph::graph_layer::record<ops::cast>(*x.owner, type, x.extents(), {}, &x.id, 1);
}

/// `x` with elements of type `T`.
template <class T, symbolic X>
constexpr auto cast(const X& x) {
  return X::layer::template cast<T>(x);
}

}  // namespace kroton
