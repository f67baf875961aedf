// This header has the kernels of a program for the host and for devices. The contexts to which names are mapped decide
// which of them run.
#pragma once

#include <kroton/runtime/device/indexed.hpp>
#include <kroton/runtime/device/launch.hpp>
#include <kroton/runtime/device/product.hpp>
#include <kroton/runtime/device/routine.hpp>
#include <kroton/runtime/host/launch.hpp>

namespace kroton::runtime::on_device {

/// Makes an executor of a program that may have places on devices. `host`: the functions that run steps on the host;
/// `places`: the context of each place.
std::unique_ptr<runtime::executor> make_executor(const plan_view& plan, const step_runners& host,
                                                 const kernel_table& table, const std::vector<context>& places,
                                                 product_math math);

/// The kernels of the program `Code::value`. `Launch(stream)` starts tasks on a stream, see fused_launch and
/// indexed.hpp.
template <class Code, class Launch>
class kernels_of {
  using host = on_host::kernels_of<Code>;
  static constexpr const auto& program = Code::value;
  static constexpr program_size size = program.size;
  // clang prints this line where it reaches its limit, so the line names the flag
  static constexpr distinct_kernels<size.steps> kernels{program};  // step limit? -fconstexpr-steps=1000000000

 public:
  static constexpr const auto& plan() { return host::plan(); }

  static std::unique_ptr<runtime::executor> make_executor(const std::vector<context>& places, product_math math) {
    return on_device::make_executor(plan(), host::runners(),
                                    {launchers.data(), products, epilogues.data(), kernels.of_step}, places, math);
  }

 private:
  template <int S>
  struct indexed {
    static constexpr step what = program.steps[S];
    static constexpr instruction types = program.instructions[what.first_instruction];
    using element = element_t<what.type>;
    using index = element_t<types.index_type()>;
    static constexpr bool is_onto = types.op->id == id_of<ops::scatter_onto>;
  };
  /// The row forms that are needed by those steps on devices that run the kernel of step `S`.
  template <int S>
  static constexpr row_form row_forms = [] {
    row_form forms{};
    for (int s = 0; s < size.steps; ++s)
      if (kernels.of_step[s] == kernels.of_step[S] && program.steps[s].place != at_host)
        forms = forms | row_forms_of<Launch>(program.steps[s], elements<kernel_of<Code, S>>::width);
    return forms;
  }();
  template <int S>
  static void run(device_stream& stream, const step_call& call) {
    constexpr step_kind kind = program.steps[S].kind;
    const Launch launch(stream, call.name());
    if constexpr (program.steps[S].segments > 1) run_segments<S>(launch, call.bound);
    else if constexpr (is_fused(kind))
      fused_launch<kernel_of<Code, S>, Launch>::template run<row_forms<S>>(launch, call.bound.loops, call.workspace);
    else if constexpr (kind == step_kind::take)
      take_rows<typename indexed<S>::element, typename indexed<S>::index>(launch, call);
    else if constexpr (kind == step_kind::routine) run_routine<routine_of<Code, S>>(launch, call);
    else scatter_add_rows<typename indexed<S>::element, typename indexed<S>::index, indexed<S>::is_onto>(launch, call);
  }
  template <int S>
  static void run_segments(const Launch& launch, const bound_step& b) {
    constexpr int most = [] {
      int found = 0;
      for (int s = 0; s < size.steps; ++s)
        if (kernels.of_step[s] == kernels.of_step[S]) found = std::max(found, program.steps[s].segments);
      return found;
    }();
    using kernel = fused_launch<kernel_of<Code, S>, Launch>;
    const bound_segments segments(b, kernel::accesses);
    kernel::template run_segments<most>(launch, b.loops, segments.elements, segments.count);
  }
  template <int S>
  static std::int64_t workspace([[maybe_unused]] device_stream& stream, [[maybe_unused]] const step_call& call) {
    constexpr step_kind kind = program.steps[S].kind;
    if constexpr (is_fused(kind)) return fused_launch<kernel_of<Code, S>, Launch>::workspace(call.bound.loops);
    else if constexpr (kind == step_kind::scatter_add) return scatter_workspace<Launch>(stream, call);
    else if constexpr (kind == step_kind::routine)
      return routine_workspace<routine_of<Code, S>>(Launch(stream, call.name()), call);
    else return 0;
  }
  template <int S>
  static void finish(device_stream& stream, const step_call& call) {
    fused_launch<kernel_of<Code, S>, Launch>::finish(Launch(stream, call.name()), call.bound.loops, call.epilogue.sums);
  }
  static constexpr const auto& epilogues = with_epilogues<Code>::value;
  template <int K>
  static constexpr bool is_finished = [] {
    for (const epilogue& e : epilogues)
      if (e.has_sums && kernels.of_step[e.reader] == K) return true;
    return false;
  }();
  /// The launcher of kernel `K`. It is empty if only the host runs the kernel, because the operations of the kernel may
  /// have no code for devices.
  template <int K>
  static constexpr launcher launcher_of() {
    constexpr bool is_for_devices = [] {
      for (int s = 0; s < size.steps; ++s)
        if (kernels.of_step[s] == K && program.steps[s].place != at_host) return true;
      return false;
    }();
    constexpr int step = kernels.representative[K];
    if constexpr (is_for_devices && is_finished<K>) return {&run<step>, &workspace<step>, &finish<step>};
    else if constexpr (is_for_devices) return {&run<step>, &workspace<step>};
    else return {};
  }
  template <int... K>
  static constexpr std::array<launcher, sizeof...(K) + 1> make_launchers(std::integer_sequence<int, K...>) {
    return {launcher_of<K>()..., launcher{}};
  }
  static constexpr auto launchers = make_launchers(std::make_integer_sequence<int, kernels.count>{});
  // launchers of products, for the element types that the program multiplies
  template <class T>
  static constexpr bool has_product = [] {
    for (int s = 0; s < size.steps; ++s)
      if (program.steps[s].kind == step_kind::dot && program.steps[s].type == dtype_of<T>) return true;
    return false;
  }();
  template <class T>
  static constexpr launcher product() {
    if constexpr (has_product<T>)
      return {&product_launch<T, Launch>::run, &product_launch<T, Launch>::workspace, nullptr,
              &product_launch<T, Launch>::supports_epilogue};
    else return {};
  }
  static constexpr launcher products[] = {product<float>(), product<double>()};
};

}  // namespace kroton::runtime::on_device

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/placed_kernels.ipp>
#endif
