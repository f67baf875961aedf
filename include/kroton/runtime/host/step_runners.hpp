// What runs the steps of a program on the host. A program without matrix products, or without indices, does not compile what these need.
#pragma once

#include <kroton/passes/program.hpp>
#include <kroton/runtime/host/bound_step.hpp>

namespace kroton::on_host {

/// A matrix product with its operands.
struct product_call {
  const plan_view& plan;
  const step& what;
  const bound_step& bound;
  const std::int64_t* symbols;
  int threads;
};
/// Indices in memory, and what they must lie in.
struct index_call {
  const plan_view& plan;
  const index_range_check& check;
  const std::int64_t* symbols;
  const std::byte* start;
};

/// Runs a matrix product.
void run_product(const product_call& call);
/// Throws index_error for the first index that is out of bounds.
void check_indices(const index_call& call);

struct step_runners {
  const launcher* launchers;             ///< of kernels
  const int* kernel_of;                  ///< the launcher of each step, -1 for products and transfers
  void (*product)(const product_call&);  ///< nullptr: the program has none
  void (*check)(const index_call&);      ///< nullptr: the program looks at no indices
};

}  // namespace kroton::on_host

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/host/check_indices.ipp>
#include <kroton/runtime/host/run_product.ipp>
#endif
