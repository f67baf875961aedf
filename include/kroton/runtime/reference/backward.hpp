// This header checks the gradients of a captured graph with those of a backward run of its own, which knows no
// derivatives: the slopes of elementwise operations are differences. So a wrong derivative, or a zero that became a
// NaN, is found also where the compiled function does what the captured graph says.
//
// As everywhere, an element that gets no gradient (the branch that `where` does not take) hands none on, whatever its
// slopes are. Where a difference says too little, as at a kink, nothing is compared.
#pragma once

#include <kroton/graph/graph.hpp>
#include <kroton/runtime/reference/tensor.hpp>

#include <span>
#include <string>
#include <vector>

namespace kroton::reference {

/// An element of a gradient that is not what it should be.
struct wrong_gradient {
  std::string where;  ///< `gradient 2 (of argument 1) at 3`; gradients count from 1 as they were captured
  double found = 0, expected = 0;
};

/// The first wrong element of each gradient that `g` was asked for, found with these arguments and shared variables.
std::vector<wrong_gradient> wrong_gradients(const graph& g, std::span<const reference_tensor> inputs,
                                            std::span<const reference_tensor> shared = {});

}  // namespace kroton::reference

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/reference/backward.ipp>
#endif
