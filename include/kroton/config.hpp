// Compiler-dependent configuration.
#pragma once

#ifdef __CUDACC__
#define KROTON_HD __host__ __device__
#else
#define KROTON_HD
#endif

/// For the loop bodies of kernels, which are fast only where the compiler sees the whole loop.
#define KROTON_INLINE [[gnu::always_inline]] inline
#define KROTON_INLINE_LAMBDA __attribute__((always_inline))
