// This header says what multiplies matrices on the host, as contexts tell it: Kroton's own loops, or a CBLAS.
#pragma once

#include <kroton/config.hpp>

#include <string>

namespace kroton::runtime {

/// Kroton's own and what they were compiled for, or the library of KROTON_BLAS and the kernels that it has chosen for
/// this processor: "OpenBLAS 0.3.21, kernels for Cooperlake".
std::string product_library();

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/context/product_library.ipp>
#endif
