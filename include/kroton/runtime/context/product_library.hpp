// This header names the code that multiplies matrices on the host, for context::product_library: Kroton's own loops, or
// a CBLAS.
#pragma once

#include <kroton/config.hpp>

#include <string>

namespace kroton::runtime {

/// The name of Kroton's own products with the instructions for which they were compiled, or the name of the library of
/// KROTON_BLAS with the kernels that it has chosen for this processor: "OpenBLAS 0.3.21, kernels for Cooperlake".
std::string product_library();

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/context/product_library.ipp>
#endif
