// This header is Kroton with GPUs: what nvcc compiles in a file that includes it, before other headers of Kroton, runs
// on the host and on GPUs.
#pragma once

#ifndef __CUDACC__
#error "kroton: kroton/cuda.hpp is for files that nvcc compiles"
#endif
#ifdef KROTON_BACKEND
#error "kroton: include kroton/cuda.hpp before other headers of Kroton"
#endif
#define KROTON_BACKEND ::kroton::runtime::on_cuda::backend

// what is written for elements and for packs of them is instantiated for both by the host, and by GPUs for elements
// alone
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20011, 20012, 20013, 20014, 20015

namespace kroton::runtime::on_cuda {
struct backend;
}

#include <kroton/kroton.hpp>
#include <kroton/runtime/cuda_backend.hpp>

#pragma nv_diagnostic pop
