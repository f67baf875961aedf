// Compiler-dependent configuration.
#pragma once

/// For what the loops of kernels call, however deep: inlined however large the loop becomes, because what is called
/// keeps its operands in memory instead of registers.
#define KROTON_INLINE [[gnu::always_inline]] inline
#define KROTON_INLINE_LAMBDA __attribute__((always_inline))

// What no template needs is declared in `NAME.hpp` and defined in `NAME.ipp`. By default every file has the
// definitions, as inline functions. Where KROTON_COMPILED_LIB is defined, files have the declarations alone, and the
// definitions are compiled once: in the file that defines KROTON_IMPLEMENTATION before it includes <kroton/kroton.hpp>.
// What runs seldom (messages, contexts, flags) is marked [[gnu::cold]]: the compiler then makes small code of it, in
// less time.
#if defined(KROTON_IMPLEMENTATION)
#define KROTON_HAS_DEFINITIONS 1
#define KROTON_DEFINITION
#elif defined(KROTON_COMPILED_LIB)
#define KROTON_HAS_DEFINITIONS 0
namespace kroton {
// Of a program that has the definitions nowhere, the linker says so.
extern const char KROTON_IMPLEMENTATION_is_defined_in_a_file_of_this_program;
[[gnu::used]] inline const char* const has_definitions = &KROTON_IMPLEMENTATION_is_defined_in_a_file_of_this_program;
}  // namespace kroton
#else
#define KROTON_HAS_DEFINITIONS 1
#define KROTON_DEFINITION inline
#endif

/// For the arithmetic of operations, which kernels of the host and of devices share.
#if defined(__CUDACC__) && defined(KROTON_BACKEND)
#define KROTON_HD __host__ __device__
#else
#define KROTON_HD __attribute__((always_inline)) inline
#endif
