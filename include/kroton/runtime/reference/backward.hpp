// This header compares the gradients of a captured graph with those of a backward run of its own. The backward run
// knows no derivatives: it measures the slopes of elementwise operations by differences. So it finds a wrong
// derivative, or a zero that became a NaN, even where the compiled function computes exactly the captured graph.
//
// As everywhere in Kroton, an element that gets no gradient, such as the branch that `where` does not take, passes none
// on, whatever its slopes are. Where a difference is too inexact, as at a kink, nothing is compared.
#pragma once

#include <kroton/graph/graph.hpp>
#include <kroton/runtime/reference/tensor.hpp>

#include <span>
#include <string>
#include <vector>

namespace kroton::reference {

/// An element of a gradient that differs from the backward run.
struct wrong_gradient {
  std::string where;  ///< `gradient 2 (of argument 1) at 3`; gradients count from 1 as they were captured
  double found = 0, expected = 0;
};

/// The first wrong element of each gradient in `g`, for these arguments and shared variables.
std::vector<wrong_gradient> wrong_gradients(const graph& g, std::span<const reference_tensor> inputs,
                                            std::span<const reference_tensor> shared = {});

}  // namespace kroton::reference

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/reference/backward.ipp>
#endif
