// A matrix product added to a matrix; what passes make of `W - rate * dot(x, y)`.
#pragma once

#include <kroton/graph/ops/constant.hpp>

namespace kroton::ops {

/// Operands: x (..., m, k), y (..., k, n), c (..., m, n), and maybe a scalar s. Result: c + alpha * s * (x y), where
/// attr.a has the bits of the double alpha.
struct gemm {
  static constexpr op_kind kind = op_kind::dot;
  static constexpr const char* name = "gemm";
};

}  // namespace kroton::ops
