// This header has the math mode of a function's matrix products: the precision that they may have, and whether their
// epilogues may assume finite operands. Device libraries choose algorithms by it: `{product_precision::tf32, false}`
// lets cuBLASLt round factors to TF32. Users choose it by a kt::policy.
#pragma once

#include <cstdint>

namespace kroton::runtime {

/// How factors of products of floats may be rounded before they are multiplied; sums are always in float.
enum class product_precision : std::uint8_t { full, tf32, bf16 };

/// The math mode of products.
struct product_math {
  product_precision precision = product_precision::full;
  bool is_finite = false;  ///< an epilogue may assume that its operands are neither NaN nor infinite
};

}  // namespace kroton::runtime
