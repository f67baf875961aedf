// Compiler-dependent configuration.
#pragma once

#ifdef __CUDACC__
#define KROTON_HD __host__ __device__
#else
#define KROTON_HD
#endif
