// What the matrix products of a function need not do exactly.
#pragma once

#include <cstdint>

namespace kroton {

/// How factors of products of floats may be rounded; sums are in float.
enum class product_precision : std::uint8_t { full, tf32, bf16 };

/// What products need not do as Kroton's kernels would.
struct product_freedom {
  product_precision precision = product_precision::full;
  bool is_finite = false;  ///< where a function is applied, NaN and infinities need not be kept
};

}  // namespace kroton
