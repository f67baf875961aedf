// This header is Kroton: symbolic tensor code, differentiated, fused and planned by the compiler.
#pragma once

#include <kroton/warnings_off.hpp>

#include <kroton/config.hpp>
#if defined(KROTON_IMPLEMENTATION) && !KROTON_HAS_DEFINITIONS
#error "kroton: KROTON_IMPLEMENTATION is defined below a header of Kroton; define it in the first line of the file"
#endif

// First come the headers that hold the sentences of errors, and the headers with names that compilers propose for a
// dimension that is not declared (xsimd::batch, kt::rows). Compilers print the chain of includes that leads to such a
// header, and the chain is short from here.
#include <kroton/arithmetic/simd/xsimd.hpp>
#include <kroton/expr/check.hpp>
#include <kroton/expr/extents.hpp>
#include <kroton/expr/expr.hpp>
#include <kroton/expr/range.hpp>
#include <kroton/expr/model.hpp>
#include <kroton/expr/capture.hpp>
#include <kroton/expr/diagnose.hpp>
#include <kroton/runtime/tensor.hpp>
#include <kroton/runtime/function.hpp>
#include <kroton/runtime/lambda_function.hpp>
#include <kroton/runtime/functor.hpp>
#include <kroton/runtime/lazy.hpp>

#include <kroton/expr/constexpr_math.hpp>
#include <kroton/expr/functions.hpp>
#include <kroton/expr/gradients.hpp>
#include <kroton/expr/derivatives.hpp>
#include <kroton/expr/custom_gradient.hpp>
#include <kroton/expr/vmap.hpp>
#include <kroton/expr/random.hpp>
#include <kroton/expr/counts.hpp>
#include <kroton/expr/gamma.hpp>
#include <kroton/expr/multinomial.hpp>
#include <kroton/expr/permutation.hpp>
#include <kroton/expr/sorting.hpp>
#include <kroton/expr/arranged.hpp>
#include <kroton/expr/changed_along.hpp>
#include <kroton/expr/cond.hpp>
#include <kroton/expr/contracted.hpp>
#include <kroton/expr/diagonals.hpp>
#include <kroton/expr/einsum.hpp>
#include <kroton/expr/folds.hpp>
#include <kroton/expr/pad.hpp>
#include <kroton/expr/selected.hpp>
#include <kroton/expr/sets.hpp>
#include <kroton/expr/truncated_normal.hpp>
#include <kroton/nn/cross_entropy.hpp>
#include <kroton/nn/dropout.hpp>
#include <kroton/nn/gelu.hpp>
#include <kroton/optim/accumulator.hpp>
#include <kroton/optim/adam.hpp>
#include <kroton/optim/adaptive.hpp>
#include <kroton/optim/average.hpp>
#include <kroton/optim/lbfgs.hpp>
#include <kroton/optim/lion.hpp>
#include <kroton/optim/sgd.hpp>
#include <kroton/runtime/chunked.hpp>
#include <kroton/runtime/session.hpp>
#include <kroton/runtime/stats.hpp>
#include <kroton/runtime/transfers.hpp>

// the file with KROTON_IMPLEMENTATION has all definitions, those of optional headers too
#ifdef KROTON_IMPLEMENTATION
#include <kroton/callable.hpp>
#include <kroton/debug/verify.hpp>
#include <kroton/debug/verify_grad.hpp>
#if __has_include(<nlohmann/json.hpp>)
#include <kroton/io/safetensors.hpp>
#endif
namespace kroton {
extern const char KROTON_IMPLEMENTATION_is_defined_in_a_file_of_this_program;
constexpr char KROTON_IMPLEMENTATION_is_defined_in_a_file_of_this_program = 0;
}  // namespace kroton
#endif

#include <kroton/warnings_back.hpp>
