// This header puts routines on the stream of a device.
//
//     step cumsum of (4, 2^20) floats  ->  ops::cumsum::cuda(call), where call.for_each starts a kernel
#pragma once

#include <kroton/runtime/device/selection.hpp>
#include <kroton/runtime/device/step_call.hpp>
#include <kroton/runtime/program/routine_type.hpp>

namespace kroton::runtime::on_device {

/// The argument of a routine's function `cuda`. Calls are captured into graphs of the device, so the function may only
/// put work on the stream.
template <class Call, class Launch>
struct device_call : Call {
  const Launch* launch = nullptr;
  std::byte* device_workspace = nullptr;  ///< as many bytes as `cuda_workspace` says, if the routine has that

  /// Puts a kernel on the stream that calls `task(i)` for each i of [0, count), each in a thread of its own. A task is
  /// an object of a struct whose function call is `KROTON_HD`.
  template <class Task>
  void for_each(std::int64_t count, const Task& task) const {
    launch->threads(count, task);
  }
  /// Sorts keys without a sign, of which the lowest `bits` count, and with them their values; equal keys keep their
  /// order. `memory`: as many bytes as `sort_workspace` says.
  template <class Key, class Value>
  void sort_by_key(const Key* keys, Key* sorted, const Value* values, Value* moved, std::int64_t count, int bits,
                   std::byte* memory) const {
    launch->sort_by_key(keys, sorted, values, moved, count, bits, memory);
  }
  template <class Key, class Value>
  std::int64_t sort_workspace(std::int64_t count, int bits) const {
    return launch->template sort_workspace<Key, Value>(count, bits);
  }
  /// Writes the positions of the elements of a mask that hold, see selection_target, and how many hold to `found`.
  /// `memory`: as many bytes as `select_workspace` says.
  void select(const bool* mask, std::int64_t count, const selection_target& to, std::int64_t* found,
              std::byte* memory) const {
    launch->select(mask, count, to, found, memory);
  }
  std::int64_t select_workspace(std::int64_t count) const { return launch->template select_workspace<bool>(count); }
  /// The stream of CUDA, for libraries and kernels of your own.
  auto stream() const { return launch->native_stream(); }
};

template <class Routine, class Launch>
device_call<typename Routine::call, Launch> device_call_of(const Launch* launch, const step_call& call) {
  device_call<typename Routine::call, Launch> made;
  Routine::fill(made, call.bound);
  made.launch = launch;
  made.device_workspace = call.workspace;
  return made;
}
template <class Routine, class Launch>
void run_routine(const Launch& launch, const step_call& call) {
  const auto made = device_call_of<Routine>(&launch, call);
  Routine::op::cuda(made);
}
template <class Routine, class Launch>
std::int64_t routine_workspace(const Launch& launch, const step_call& call) {
  const auto made = device_call_of<Routine>(&launch, call);
  if constexpr (requires { Routine::op::cuda_workspace(made); }) return Routine::op::cuda_workspace(made);
  else return 0;
}

}  // namespace kroton::runtime::on_device
