// This header runs any matrix product of float or double on the host, with leading axes and strides of any kind.
//
//     (8, m, k) by (8, k, n)  ->  eight products, at the same time if they are small, else one by one with all threads
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
