// This header has the operation gemm: a matrix product that is scaled and added to a tensor; what passes make of `b * c
// + a * dot(x, y)`.
#pragma once

#include <kroton/graph/ops/constant.hpp>

namespace kroton {

namespace ops {
/// Operands: x (..., m, k), y (..., k, n), then those that gemm_form knows of. Result: what gemm_form makes of the
/// product, perhaps of another shape with as many elements (a vector).
struct gemm {
  static constexpr op_kind kind = op_kind::dot;
  static constexpr const char* name = "gemm";
  static constexpr bool has_kernel(backend_kind, dtype type) {
    return type == dtype::float32 || type == dtype::float64;
  }
};
}  // namespace ops

namespace graph {
/// The result for a product p: a p + b c, or, where the added tensor decays, c + a (b c) + a p; a and b are numbers,
/// times scalars if there are any.
struct gemm_form {
  double alpha = 1, beta = 1;
  int added = -1, alpha_scale = -1, beta_scale = -1;  ///< operands: c and the scalars, -1: none
  bool decays = false;

  static constexpr gemm_form of(const attributes& x) {
    gemm_form form;
    form.alpha = std::bit_cast<double>(x.a);
    form.beta = std::bit_cast<double>(x.b);
    form.decays = (x.c & 8) != 0;
    int next = 2;
    if ((x.c & 1) != 0) form.added = next++;
    if ((x.c & 2) != 0) form.alpha_scale = next++;
    if ((x.c & 4) != 0) form.beta_scale = next++;
    return form;
  }
  constexpr operator attributes() const {
    return {std::bit_cast<std::int64_t>(alpha), std::bit_cast<std::int64_t>(beta),
            (added < 0 ? 0 : 1) | (alpha_scale < 0 ? 0 : 2) | (beta_scale < 0 ? 0 : 4) | (decays ? 8 : 0)};
  }
  /// The addend of the product: c times beta, or, where it decays, c + alpha * beta * c.
  template <class T>
  constexpr T scaled_addend(T by_alpha, T by_beta, T c) const {
    return decays ? c + by_alpha * (by_beta * c) : by_beta * c;
  }
};

/// The extents of a product of tensors with these extents.
constexpr shape product_shape(const shape& x, const shape& y) {
  shape s = x.rank >= y.rank ? x : y;
  s[s.rank - 2] = x[x.rank - 2];
  s[s.rank - 1] = y[y.rank - 1];
  return s;
}
}  // namespace graph

}  // namespace kroton
