// This header has the operation scatter_onto: rows that are scaled and added to a tensor at indices; what passes make
// of `c + a * scatter_add(index, rows)`.
#pragma once

#include <kroton/graph/ops/gemm.hpp>

namespace kroton::ops {

/// Operands: index (S), rows S + (...), then those that gemm_form knows of. Result: what gemm_form makes of the rows,
/// added up at their indices, perhaps of another shape with as many elements. It is for numbers that add up as
/// gemm_form says without a factor of the addend: beta is 1 and has no scalar. Integers have no other factor either.
struct scatter_onto {
  static constexpr op_kind kind = op_kind::scatter_add;
  static constexpr const char* name = "scatter_onto";
  static constexpr operands takes = operands::numeric;
};

}  // namespace kroton::ops
