// This header has the macros that all headers of Kroton use, and refuses compilers without C++20 or exceptions. Every
// header of Kroton includes it before any code that C++17 does not have.
#pragma once

#include <kroton/namespaces.hpp>

// After each of these errors the compiler includes a header that does not exist. It stops there, and prints no errors
// that follow from the first one.
#if __cplusplus < 202002L
#error "kroton: C++20 is needed; add -std=c++20"
#include <kroton/see_the_error_above>
#elif !defined(__cpp_exceptions)
#error "kroton: exceptions are needed, because errors of a call are thrown; leave out -fno-exceptions"
#include <kroton/see_the_error_above>
#endif

#if (defined(__FAST_MATH__) || __FINITE_MATH_ONLY__) && !defined(KROTON_ALLOW_FAST_MATH)
#warning \
    "kroton: -ffast-math and -Ofast break what Kroton promises of NaN, infinities and rounding; leave them out, or define KROTON_ALLOW_FAST_MATH"
#endif

namespace kroton {
/// The most axes that a tensor has.
inline constexpr int max_rank = 8;
}  // namespace kroton

/// The flags that raise the limits of constant evaluation, for error messages. nvcc needs flags for its front end and
/// for g++, which preprocesses and compiles for it.
#if defined(__CUDACC__)
#define KROTON_RAISED_LIMITS                                 \
  "-Xcudafe --max_cost_constexpr_call=100000000 -Xcompiler " \
  "-fconstexpr-ops-limit=10000000000,-fconstexpr-loop-limit=100000000"
#elif defined(__clang__)
#define KROTON_RAISED_LIMITS "-fconstexpr-steps=1000000000"
#else
#define KROTON_RAISED_LIMITS "-fconstexpr-ops-limit=10000000000 -fconstexpr-loop-limit=100000000"
#endif
#define KROTON_LIMIT_REACHED                                                                                         \
  "kroton: the function is so large that a limit of the compiler on constant evaluation ends it; these flags raise " \
  "the limit: " KROTON_RAISED_LIMITS

/// Marks the functions that the loop of a kernel calls, directly or through others. They are inlined however large the
/// loop becomes, because a called function keeps its operands in memory instead of registers. Where the compiler does
/// not optimise, they are functions like others, which are compiled once.
#if defined(__OPTIMIZE__) || defined(__CUDACC__)
#define KROTON_INLINE_LAMBDA __attribute__((always_inline))
#else
#define KROTON_INLINE_LAMBDA
#endif
#define KROTON_INLINE KROTON_INLINE_LAMBDA inline

// Code that no template needs is declared in `NAME.hpp` and defined in `NAME.ipp`. By default every file has the
// definitions, as inline functions. Where KROTON_COMPILED_LIB is defined, files have the declarations alone, and the
// definitions are compiled once: in the file that defines KROTON_IMPLEMENTATION before it includes <kroton/kroton.hpp>.
// The definitions are weak there: if two files have them, the linker complains only of the name below, which says the
// mistake. Code that runs seldom (messages, contexts, flags) is marked [[gnu::cold]]: the compiler then makes small
// code of it, in less time.
#if defined(KROTON_IMPLEMENTATION)
#define KROTON_HAS_DEFINITIONS 1
#define KROTON_DEFINITION [[gnu::weak]]
#elif defined(KROTON_COMPILED_LIB)
#define KROTON_HAS_DEFINITIONS 0
namespace kroton {
// If no file of the program has the definitions, the linker reports that this name is undefined.
extern const char KROTON_IMPLEMENTATION_is_defined_in_a_file_of_this_program;
[[gnu::used]] inline const char* const has_definitions = &KROTON_IMPLEMENTATION_is_defined_in_a_file_of_this_program;
}  // namespace kroton
#else
#define KROTON_HAS_DEFINITIONS 1
#define KROTON_DEFINITION inline
#endif

/// Marks the arithmetic of operations, which kernels of the host and of devices share. KROTON_HD_CALLED marks functions
/// with loops, which kernels of the host call: such a function takes longer than its call, and is compiled once.
#if defined(__CUDACC__) && defined(KROTON_BACKEND)
#define KROTON_HD __host__ __device__
#define KROTON_HD_CALLED __host__ __device__ inline
#else
#define KROTON_HD KROTON_INLINE
#define KROTON_HD_CALLED __attribute__((noinline)) inline
#endif
