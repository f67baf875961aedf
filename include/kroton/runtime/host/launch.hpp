// This header has the kernels of a program on the host: one function for each different kernel.
//
//     twelve equal layers  ->  one function, called twelve times with other addresses
#pragma once

#include <kroton/runtime/program/executor.hpp>
#include <kroton/runtime/host/blocked_reduction.hpp>
#include <kroton/runtime/host/distinct_products.hpp>
#include <kroton/runtime/host/fused.hpp>
#include <kroton/runtime/host/indexed.hpp>
#include <kroton/runtime/host/routine.hpp>
#include <kroton/runtime/host/run_fixed_product.hpp>
#include <kroton/runtime/host/run_product.hpp>
#include <kroton/runtime/host/short_rows.hpp>
#include <kroton/runtime/program/step_runners.hpp>
#include <kroton/runtime/context/product_math.hpp>
#include <kroton/runtime/program/kernel_type.hpp>

#include <array>

namespace kroton::runtime::on_host {

/// Makes an executor of a program on the host. `places`: the context of each place. Throws device_error if one is a
/// device, because the program was compiled for the host alone.
std::unique_ptr<runtime::executor> make_executor(const plan_view& plan, const step_runners& runners,
                                                 const std::vector<context>& places);

/// Runs a fused kernel. Steps of all programs whose kernels have the same type share this function.
template <class Fused>
void launch_fused(const bound_step& b, int threads) {
  fused_kernel<Fused>::run(b.loops, threads);
}

/// Runs a kernel over short rows.
template <class Fused>
void launch_short_rows(const bound_step& b, int threads) {
  short_rows_kernel<Fused>::run(b.loops, threads);
}

/// Runs a joined step.
template <class Fused>
void launch_segments(const bound_step& b, int threads) {
  const bound_segments segments(b, fused_kernel<Fused>::accesses);
  fused_kernel<Fused>::run_segments(b.loops, segments.elements, segments.count, threads);
}

/// The kernels of the program `Code::value`. The parameter is a type, because g++ takes constants of models in unnamed
/// namespaces of several files for one constant.
template <class Code>
class kernels_of {
  static constexpr const auto& program = Code::value;
  static constexpr program_size size = program.size;
  // clang prints this line where it reaches its limit, so the line names the flag
  static constexpr distinct_kernels<size.steps> kernels{program};  // step limit? -fconstexpr-steps=1000000000
  static constexpr distinct_products<size.steps> products{program.steps, program.accesses, program.parameters};

 public:
  /// The part of the program that calls read; the rest is for the compiler alone.
  static constexpr const call_plan<size>& plan() { return call_plan_of<Code>; }

  static step_runners runners() {
    step_runners every{launchers.data(),       reductions.data(), kernels.of_step,
                       product_runners.data(), products.of_step,  nullptr};
    if constexpr (size.checks > 0) every.check = check_indices;
    return every;
  }
  /// See on_host::make_executor. Products on the host always have full precision.
  static std::unique_ptr<runtime::executor> make_executor(const std::vector<context>& places, product_math) {
    return on_host::make_executor(plan(), runners(), places);
  }

 private:
  /// The launcher of steps that have the kernel of step `S`.
  template <int S>
  static constexpr launcher launcher_of() {
    constexpr step_kind kind = program.steps[S].kind;
    if constexpr (program.steps[S].segments > 1) return &launch_segments<kernel_of<Code, S>>;
    else if constexpr (program.steps[S].has_short_rows) return &launch_short_rows<kernel_of<Code, S>>;
    else if constexpr (is_fused(kind)) return &launch_fused<kernel_of<Code, S>>;
    else if constexpr (kind == step_kind::routine) return &launch_routine<routine_of<Code, S>>;
    else return &launch_indexed<S>;
  }
  template <int S>
  static void launch_indexed(const bound_step& b, [[maybe_unused]] int threads) {
    constexpr step s = program.steps[S];
    constexpr instruction call = program.instructions[s.first_instruction];
    using T = element_t<s.type>;
    using Index = element_t<call.index_type()>;
    if constexpr (s.kind == step_kind::take) take_rows<T, Index>(b, threads);
    else if constexpr (call.op->id == id_of<ops::scatter_add>) scatter_add_rows<T, Index>(b, threads);
    else scatter_rows_onto<T, Index>(b, threads);
  }
  template <int... K>
  static constexpr std::array<launcher, sizeof...(K) + 1> make_launchers(std::integer_sequence<int, K...>) {
    return {launcher_of<kernels.representative[K]>()..., nullptr};
  }
  static constexpr auto launchers = make_launchers(std::make_integer_sequence<int, kernels.count>{});

  /// Whether a step with kernel `k` reduces all rows, and can run by blocks of rows.
  static constexpr bool reduces_blocks(int k) {
    for (int first = 0; first < size.steps; ++first)
      for (int s = first; s < first + program.steps[first].blocked; ++s)
        if (program.steps[s].kind == step_kind::full && kernels.of_step[s] == k) return true;
    return false;
  }
  template <int K>
  static constexpr reduction_runner reduction_runner_of() {
    if constexpr (reduces_blocks(K)) return blocked_reduction<kernel_of<Code, kernels.representative[K]>>::runner;
    else return {};
  }
  template <int... K>
  static constexpr std::array<reduction_runner, sizeof...(K) + 1> make_reductions(std::integer_sequence<int, K...>) {
    return {reduction_runner_of<K>()..., reduction_runner{}};
  }
  static constexpr auto reductions = make_reductions(std::make_integer_sequence<int, kernels.count>{});

  template <int P>
  static constexpr product_runner product_runner_of() {
    constexpr product_code code = products.code[P];
    if constexpr (code.is_fixed()) return &run_fixed_product<element_t<code.type>, code.extents, code.is_scaled>;
    else return &run_product<element_t<code.type>>;
  }
  template <int... P>
  static constexpr std::array<product_runner, sizeof...(P) + 1> make_product_runners(std::integer_sequence<int, P...>) {
    return {product_runner_of<P>()..., nullptr};
  }
  static constexpr auto product_runners = make_product_runners(std::make_integer_sequence<int, products.count>{});
};

}  // namespace kroton::runtime::on_host

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/host/launch.ipp>
#endif
