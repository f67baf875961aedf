// What multiplies matrices on the host, as contexts tell it.
#pragma once

#include <kroton/config.hpp>

#include <string>

namespace kroton::on_host {

/// The library and the kernels that it has chosen for this processor: "OpenBLAS 0.3.21, kernels for Cooperlake".
std::string product_library();

}  // namespace kroton::on_host

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/host/product_library.ipp>
#endif
