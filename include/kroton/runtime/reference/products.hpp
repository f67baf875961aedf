// This header computes matrix products and scattered sums in the reference.
//
//     scatter_add of rows 5 6, 7 8 at 1, 1, into (2, 2)  ->  0 0, 12 14
#pragma once

#include <kroton/arithmetic/scalar.hpp>
#include <kroton/graph/ops.hpp>
#include <kroton/runtime/reference/moved_elements.hpp>

namespace kroton::reference {

/// A number times operand `scale`, which is a scalar, if `scale` is not -1.
inline double scaled(const operand_values& operands, double number, int scale) {
  return number * (scale < 0 ? 1 : operands[scale].values[0]);
}

inline void dot(const operand_values& operands, reference_tensor& y) {
  const reference_tensor &a = operands[0], &b = operands[1];
  const node& n = operands.n;
  const bool is_gemm = n.op->id == id_of<ops::gemm>;
  const gemm_form form = is_gemm ? gemm_form::of(n.attr) : gemm_form();
  const double alpha = scaled(operands, form.alpha, form.alpha_scale),
               beta = scaled(operands, form.beta, form.beta_scale);
  const auto inner = static_cast<std::size_t>(a.extents.back());
  std::size_t at = 0;
  index_list extents =
      a.extents.size() >= b.extents.size() ? a.extents : b.extents;  // the extents of y, before y is reshaped
  extents[extents.size() - 2] = a.extents[a.extents.size() - 2];
  extents.back() = b.extents.back();
  for_each_index(extents, [&](const index_list& index) {
    index_list left = index, right = index;
    left[index.size() - 1] = 0;
    right[index.size() - 2] = 0;
    const std::size_t row = matrix_offset(a, left), column = matrix_offset(b, right),
                      width = static_cast<std::size_t>(b.extents.back());
    long double total = 0;
    for (std::size_t k = 0; k < inner; ++k)
      total += static_cast<long double>(a.values[row + k]) * b.values[column + k * width];
    double& result = y.values[at];
    result = static_cast<double>(total);
    if (is_gemm)
      result = alpha * result + (form.added < 0 ? 0 : form.scaled_addend(alpha, beta, operands[form.added].values[at]));
    ++at;
  });
}

/// Scales what was scattered, and adds it to a tensor if there is one.
inline void add_scattered(const operand_values& operands, reference_tensor& y) {
  const node& n = operands.n;
  const gemm_form form = gemm_form::of(n.attr);
  const double alpha = scaled(operands, form.alpha, form.alpha_scale);
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    if (is_floating(n.type)) y.values[i] = alpha * y.values[i] + (form.added < 0 ? 0 : operands[form.added].values[i]);
    else if (form.added >= 0) put(n.type, y, i, simd::wrapped_sum(y.integers[i], operands[form.added].integer(i)));
  }
}
inline void scatter_add(const operand_values& operands, reference_tensor& y) {
  const reference_tensor &index = operands[0], &rows = operands[1];
  const node& n = operands.n;
  std::size_t row = 1;
  for (std::size_t i = index.extents.size(); i < rows.extents.size(); ++i)
    row *= static_cast<std::size_t>(rows.extents[i]);
  for (std::size_t i = 0; i < index.values.size(); ++i)
    for (std::size_t j = 0; j < row; ++j) {
      const std::size_t to = static_cast<std::size_t>(index.integer(i)) * row + j, from = i * row + j;
      if (is_floating(n.type)) y.values[to] += rows.values[from];
      else put(n.type, y, to, simd::wrapped_sum(y.integers[to], rows.integer(from)));
    }
  if (n.op->id == id_of<ops::scatter_onto>) add_scattered(operands, y);
}

}  // namespace kroton::reference
