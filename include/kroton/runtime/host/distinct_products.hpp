// This header finds the matrix products of a program whose extents are small numbers. The compiler makes code for each
// different product.
//
//     two products of 3x3 by 3x3, one of 4x4 by 4x1, floats  ->  two functions
#pragma once

#include <kroton/passes/program.hpp>
#include <kroton/runtime/host/fixed_product.hpp>

namespace kroton::runtime::on_host {

/// The largest extent of a product with code of its own. A program that is compiled for the smallest registers leaves
/// all but tiny matrices to the CBLAS, which can use larger registers.
#ifdef KROTON_BLAS
inline constexpr std::int64_t most_fixed_extent = simd::native_bytes >= 32 ? 32 : 8;
#else
inline constexpr std::int64_t most_fixed_extent = 32;
#endif

/// The code of a product; two products with equal values run the same code. It has no extents if it is the code of all
/// products of the type that have no code of their own.
struct product_code {
  fixed_extents extents;
  dtype type = dtype::float32;
  bool is_scaled = false;

  constexpr bool is_fixed() const { return extents.m > 0; }
  friend constexpr bool operator==(const product_code&, const product_code&) = default;
};

/// The code for step `s`, whose operands and inner extent are given. Products that add to a tensor are left to
/// run_product.
constexpr product_code product_code_of(const step& s, const access* operands, extent_code inner) {
  const product_code any{{}, s.type, false};
  const int row = s.space.rank - 2, column = s.space.rank - 1;
  const access &x = operands[0], &y = operands[1];
  const fixed_extents e{s.space[row],     s.space[column], inner,           x.stride[row],
                        x.stride[column], y.stride[row],   y.stride[column]};
  for (const extent_code extent : {e.m, e.n, e.k})
    if (extent < 1 || extent > most_fixed_extent) return any;
  for (const extent_code stride : {e.x_row, e.x_column, e.y_row, e.y_column})
    if (stride < 0) return any;  // the stride is known only at a call
  if (s.product.added >= 0) return any;
  return {e, s.type, s.product.alpha != 1 || s.product.alpha_scale >= 0};
}

/// The different products among `Steps` steps.
template <int Steps>
struct distinct_products {
  plain_array<product_code, Steps + 1> code = {};
  plain_array<int, Steps + 1> of_step = {};  ///< the number of its code; -1: the step is no product
  int count = 0;

  constexpr distinct_products(const step* steps, const access* accesses, const extent_code* parameters) {
    for (int s = 0; s < Steps; ++s) {
      of_step[s] = -1;
      if (steps[s].kind != step_kind::dot) continue;
      const product_code own =
          product_code_of(steps[s], accesses + steps[s].first_access, parameters[steps[s].first_parameter]);
      int found = 0;
      while (found < count && !(code[found] == own)) ++found;
      if (found == count) code[count++] = own;
      of_step[s] = found;
    }
  }
};

}  // namespace kroton::runtime::on_host
