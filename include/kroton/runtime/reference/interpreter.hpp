// This header has the reference: it evaluates the captured graph node by node, in double and in exact integers, by slow
// and obvious code. Tests compare all other results with it.
#pragma once

#include <kroton/graph/frozen.hpp>
#include <kroton/runtime/context/error.hpp>
#include <kroton/runtime/reference/tensor.hpp>

#include <span>

namespace kroton::reference {

struct options {
  bool round_to_float = false;  ///< round the results of float32 nodes to float, instead of staying in double
  /// The seed of noise, which changes inexact results by some units in the last place. 0: no noise; 1: the most noise
  /// upwards; 2: the most noise downwards, so that numbers that are equal without noise differ in one of these two
  /// runs.
  std::uint64_t noise = 0;
};

/// Values of the outputs, and of the updates in the order of graph::updates.
struct results {
  indexed_vector<reference_tensor> outputs, updates;
  /// Whether nothing was rounded, because no floating-point number went into the value.
  indexed_vector<bool> exact_outputs, exact_updates;
};

/// Evaluates the outputs and updates of `g`. All updates see the old values of the shared variables.
/// Throws shape_error when extents do not fit, index_error when an index lies outside its axis.
results interpret(const graph& g, std::span<const reference_tensor> inputs,
                  std::span<const reference_tensor> shared = {}, const options& o = {});
template <graph_size Size>
results interpret(const frozen_graph<Size>& f, std::span<const reference_tensor> inputs,
                  std::span<const reference_tensor> shared = {}, const options& o = {}) {
  graph g;
  thaw(f, g);
  return interpret(g, inputs, shared, o);
}

}  // namespace kroton::reference

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/reference/interpreter.ipp>
#endif
