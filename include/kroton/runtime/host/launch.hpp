// The kernels of a program: one function for each different one.
#pragma once

#include <kroton/kernel/fused.hpp>
#include <kroton/runtime/context.hpp>
#include <kroton/runtime/host/executor.hpp>
#include <kroton/runtime/host/fused.hpp>
#include <kroton/runtime/host/indexed.hpp>

#include <array>

namespace kroton::on_host {

/// Those of the program `Code::value`; by its type, because g++ takes constants of models that are in unnamed namespaces for the
/// same in all files.
template <class Code>
class kernels_of {
  static constexpr const auto& program = Code::value;
  static constexpr program_size size = program.size;
  static constexpr distinct_kernels<size.steps> kernels{program.instructions, program.steps};

 public:
  /// What calls read, apart from the rest of the program, which is for the compiler alone.
  static constexpr const call_plan<size>& plan() { return call_plan_of<Code>; }

  static constexpr const int* kernel_of = kernels.of_step;
  static const launcher* all_launchers() { return launchers.data(); }
  /// `places`: the context of each place that buffers lie at. Throws device_error for a device, because what was compiled runs on the host alone,
  /// where products are always precise.
  static executor make_executor(const std::vector<context>& places, product_freedom) {
    for (const context& place : places)
      if (place.stream() != nullptr)
        throw device_error(message("kroton: a function for ", place.where().name(), " is compiled for the host alone; include kroton/cuda.hpp in its file"));
    return executor(plan(), all_launchers(), kernel_of, places);
  }

 private:
  /// Runs a step like step `S`; steps with equal instructions share one launcher.
  template <int S>
  static void launch(const bound_step& b, int threads) {
    constexpr step s = program.steps[S];
    if constexpr (s.kind < step_kind::dot) {
      fused_kernel<kernel::kernel_of<Code, S>>::run(b.loops, threads);
    } else {
      constexpr instruction call = program.instructions[s.first_instruction];
      using T = element_t<s.type>;
      using Index = element_t<static_cast<dtype>(call.value)>;
      const auto* x = b.operands[0].start;
      const auto* y = b.operands[1].start;
      T* result = reinterpret_cast<T*>(b.operands[2].start);
      if constexpr (s.kind == step_kind::take)
        take_rows(reinterpret_cast<const T*>(x), reinterpret_cast<const Index*>(y), result, b.parameters[0], b.parameters[1]);
      else
        scatter_add_rows(reinterpret_cast<const Index*>(x), reinterpret_cast<const T*>(y), result, b.parameters[0], b.parameters[1], b.parameters[2]);
    }
  }
  template <int... K>
  static constexpr std::array<launcher, sizeof...(K) + 1> make_launchers(std::integer_sequence<int, K...>) {
    return {&launch<kernels.representative[K]>..., nullptr};
  }
  static constexpr auto launchers = make_launchers(std::make_integer_sequence<int, kernels.count>{});
};

}  // namespace kroton::on_host
