// This header has the interface of executors, by which a compiled function runs its program on the host or on devices.
//
//     bind(extents), then run(inputs, shared, outputs, version)  ->  outputs and new values of shared variables
#pragma once

#include <kroton/passes/program.hpp>
#include <kroton/runtime/context/context.hpp>
#include <kroton/runtime/context/placed_memory.hpp>
#include <kroton/runtime/program/memory_sizes.hpp>

#include <atomic>
#include <memory>
#include <vector>

namespace kroton::runtime {
class pending_value;
}

namespace kroton::runtime {

/// The executor of one function. Functions differ in their plans and kernels, which are data here.
class executor {
 public:
  virtual ~executor() = default;

  std::atomic<bool> is_called{false};  ///< see function_turn

  /// Fixes loops and memory for these values of the symbols, unless they are fixed for them already. Throws
  /// memory_error if temporaries and outputs do not fit into the budget.
  virtual void bind(const std::int64_t* symbols) = 0;
  /// Whether loops and memory are fixed, for the symbols of the last `bind`.
  bool is_bound() const { return bound_; }
  /// Runs all steps. On the host, outputs and new values of shared variables are in place when it returns; for outputs
  /// that devices compute, see `pending_output`. `version`: the version of the integers among shared variables. Indices
  /// that lie in a shared variable on a device are checked once for each version.
  virtual void run(const std::byte* const* inputs, std::byte* const* shared, std::byte* const* outputs,
                   std::uint64_t version) = 0;
  /// The same after the work on these streams, and before the later work there.
  virtual void run_between(list_view<stream_use> streams, const std::byte* const* inputs, std::byte* const* shared,
                           std::byte* const* outputs, std::uint64_t version) = 0;
  /// The context of a place of the program.
  virtual const context& place(place_id place) const = 0;
  /// The pending value of output `index` of the last call, or null.
  virtual std::shared_ptr<pending_value> pending_output(std::size_t index) const = 0;
  /// Whether a call cannot throw once its steps run, because all indices are checked before and no step can fail.
  bool cannot_fail() const { return cannot_fail_; }

  /// The memory that a call with these values of the symbols takes.
  virtual memory_sizes sizes_for(const std::int64_t* symbols) const = 0;
  /// Whether that memory would fit into the budget.
  virtual bool fits(const std::int64_t* symbols) const = 0;
  /// The largest value of a dimension, up to `most`, with which a call would fit into the budget, with the other
  /// symbols as they are; -1 if not even 0 would.
  virtual std::int64_t largest_extent(int dimension, const std::int64_t* symbols, std::int64_t most) const = 0;
  /// Leaves outputs out of the count, because they lie in memory that is counted elsewhere.
  virtual void leave_outputs_out() = 0;
  /// Gives the memory back; the next call takes it again.
  virtual void release() = 0;

 protected:
  bool bound_ = false, cannot_fail_ = true;
};

}  // namespace kroton::runtime
