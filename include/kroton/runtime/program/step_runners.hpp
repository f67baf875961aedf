// This header has pointers to the functions that run the steps of a program on the host. A program without matrix
// products, or without lookups, does not compile the code that these need.
//
//     step 0 fused, step 1 dot  ->  kernels {&fused_kernel<...>::run}, and the function that multiplies
#pragma once

#include <kroton/passes/program.hpp>
#include <kroton/runtime/program/bound_step.hpp>

#include <cstring>

namespace kroton::runtime {

/// Sums over some of the rows of a product, one after the other.
struct chunk_sums {
  const std::byte* start = nullptr;
  std::int64_t count = 0;
};
/// A matrix product with its operands.
struct product_call {
  const plan_view& plan;
  const step& what;
  const bound_step& bound;
  const std::int64_t* symbols;
  int threads;
  chunk_sums sums = {};  ///< the product is their sum, if there are any

  /// A factor of the result: a number, times the scalar that is operand `scale` of the product, if `scale` is not -1.
  template <class T>
  T factor(double number, int scale) const {
    return static_cast<T>(number) *
           (scale < 0 ? T(1) : *reinterpret_cast<const T*>(bound.operands[static_cast<std::size_t>(scale) + 1].start));
  }
};
/// Runs a transfer between two places of the host, which is a copy.
inline void run_transfer(const step& s, const bound_step& b) {
  const std::int64_t bytes = b.parameters[0] * size_of(s.type);
  if (bytes > 0) std::memcpy(b.operands[1].start, b.operands[0].start, static_cast<std::size_t>(bytes));
}
using product_runner = void (*)(const product_call&);
/// Indices in memory, and the check with the range in which they must lie.
struct index_call {
  const plan_view& plan;
  const index_range_check& check;
  const std::int64_t* symbols;
  const std::byte* start;
  int threads;
};

/// Throws index_error for the first index that is out of bounds.
void check_indices(const index_call& call);

/// The functions of a full reduction whose elements come in blocks, and the bytes of its totals; see
/// host/blocked_reduction.hpp.
struct reduction_runner {
  std::int64_t bytes = 0;
  void (*begin)(std::byte*) = nullptr;
  void (*add)(const nest&, std::byte*) = nullptr;
  void (*end)(const nest&, const std::byte*, std::int64_t distance, std::int64_t chunks) = nullptr;
};

struct step_runners {
  const launcher* launchers;           ///< by the numbers of the kernels
  const reduction_runner* reductions;  ///< by the same numbers: of full reductions that can run by blocks of rows
  const int* kernel_of;                ///< the launcher of each step, -1 for products and transfers
  const product_runner* products;
  const int* product_of;             ///< the runner of each product, -1 for other steps
  void (*check)(const index_call&);  ///< null: the program checks no indices
};

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/program/check_indices.ipp>
#endif
