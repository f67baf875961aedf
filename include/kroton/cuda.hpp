// This header is Kroton with GPUs. A file that nvcc compiles includes it before other headers of Kroton; the functions
// in that file then run on the host and on GPUs.
#pragma once

#ifndef __CUDACC__
#error "kroton: kroton/cuda.hpp is for files that nvcc compiles"
#endif
#ifdef KROTON_BACKEND
#error "kroton: include kroton/cuda.hpp before other headers of Kroton"
#endif
#define KROTON_BACKEND ::kroton::runtime::on_cuda::backend

// These warnings are about functions of the host that are called from functions for host and GPU. Kroton's templates
// take elements or packs; only packs need functions of the host, and GPUs use the templates for elements alone. A test
// looks at them, because GPUs go astray where they call anything else.
#pragma nv_diagnostic push
#ifndef KROTON_CALLS_OF_HOST_SHOWN
#pragma nv_diag_suppress 20011, 20012, 20013, 20014, 20015
#endif

namespace kroton::runtime::on_cuda {
struct backend;
}

#include <kroton/kroton.hpp>
#include <kroton/runtime/cuda_backend.hpp>

#pragma nv_diagnostic pop
