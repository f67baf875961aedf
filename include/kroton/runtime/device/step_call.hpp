// This header has the argument of a kernel on a device, and the table of the kernels of a program.
//
//     step 3, bound, with workspace and epilogue  ->  step_call  ->  kernels[kernel_of[3]].run(stream, call)
#pragma once

#include <kroton/runtime/device/product_epilogues.hpp>
#include <kroton/runtime/program/bound_step.hpp>

namespace kroton::runtime::on_device {

/// A step with the addresses of its operands, on its way to a stream.
struct step_call {
  const step& what;
  bound_step& bound;
  const plan_view& plan;
  const std::int64_t* symbols;
  std::byte* workspace;  ///< as many bytes as the launcher asks for
  product_math math;
  epilogue_arguments epilogue;

  std::int64_t value(extent_code e) const { return extent_value(e, symbols); }
  /// The operation that computes its result, for messages.
  const char* name() const {
    for (int i = 0; i < what.accesses; ++i) {
      const access& a = plan.access_of(what, i);
      if (a.written && a.buffer >= 0) return plan.buffers[a.buffer].name;
    }
    return "kernel";
  }
};
struct launcher {
  void (*run)(device_stream& stream, const step_call& call) = nullptr;
  std::int64_t (*workspace)(device_stream& stream, const step_call& call) = nullptr;
  /// Does the rest of a kernel whose columns a product has summed.
  void (*finish)(device_stream& stream, const step_call& call) = nullptr;
  /// Whether a product can have the epilogue of the call.
  bool (*supports_epilogue)(device_stream& stream, const step_call& call) = nullptr;
};

/// The kernels of a program.
struct kernel_table {
  const launcher* kernels;    ///< by their numbers
  const launcher* products;   ///< of float and double
  const epilogue* epilogues;  ///< of each step
  const int* kernel_of;       ///< the number of each step's kernel
};

}  // namespace kroton::runtime::on_device
