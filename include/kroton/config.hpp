// Compiler-dependent configuration.
#pragma once

#ifdef __CUDACC__
#define KROTON_HD __host__ __device__
#else
#define KROTON_HD
#endif

/// For what the loops of kernels call: inlined however large the loop becomes, so that values stay in registers.
#define KROTON_INLINE [[gnu::always_inline]] inline
#define KROTON_INLINE_LAMBDA __attribute__((always_inline))
