// Compiler-dependent configuration.
#pragma once

/// For what the loops of kernels call, however deep: inlined however large the loop becomes, because what is called keeps
/// its operands in memory instead of registers.
#define KROTON_INLINE [[gnu::always_inline]] inline
#define KROTON_INLINE_LAMBDA __attribute__((always_inline))

/// For the arithmetic of operations, which kernels of the host and of devices share.
#if defined(__CUDACC__) && defined(KROTON_BACKEND)
#define KROTON_HD __host__ __device__
#else
#define KROTON_HD __attribute__((always_inline)) inline
#endif
