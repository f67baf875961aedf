// Runs any matrix product of float or double on the host.
#pragma once

#include <kroton/runtime/program/step_runners.hpp>

namespace kroton::runtime::on_host {

/// Runs the product of `call` for each element of its leading axes.
template <class T>
void run_product(const product_call& call);

}  // namespace kroton::runtime::on_host

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/host/run_product.ipp>
#endif
