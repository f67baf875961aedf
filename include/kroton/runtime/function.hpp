// Compiled functions: captured, optimised and lowered by the compiler; calling one checks extents and runs its kernels.
#pragma once

#include <kroton/expr/capture.hpp>
#include <kroton/expr/diagnose.hpp>
#include <kroton/passes/compile.hpp>
#include <kroton/runtime/arguments.hpp>
#include <kroton/runtime/context.hpp>
#include <kroton/runtime/extents_at_call.hpp>
#include <kroton/runtime/host/launch.hpp>
#include <kroton/runtime/memory_table.hpp>
#include <kroton/runtime/policy.hpp>
#include <kroton/runtime/refused_function.hpp>
#include <kroton/runtime/shared_storage.hpp>

#include <tuple>

namespace kroton {

/// The contexts of the first `count` places of a function that is bound to `home`. Throws device_error if a name is not mapped.
inline std::vector<context> contexts_of(const place_name* names, int count, const context& home) {
  std::vector<context> contexts{home};
  if (count > at_host) contexts.push_back(context::host());
  for (int place = first_named_place; place < count; ++place) contexts.push_back(context::named(std::string_view(names[place - first_named_place].text)));
  return contexts;
}

template <class Function>
class compiled_function {
 public:
  using capture = captured<Function>;
  using source = laid_out<rewritten<placed<capture>>>;
  using code = lowered<source>;
  using parameters = typename Function::parameters;
  using outputs = typename result_traits<typename Function::result>::outputs;
  static constexpr int output_count = std::tuple_size_v<outputs>;

  compiled_function(const context& where, shared_storage* storage)
      : storage_(storage), executor_(kernels::make_executor(contexts_of(source::value.places, kernels::plan.size.places, where))) {}

  /// What is wrong with arguments of these types.
  template <class... X>
  static constexpr unfit_argument wrong =
      first_unfit(static_cast<parameters*>(nullptr), static_cast<std::tuple<X...>*>(nullptr));
  template <class... X>
  static constexpr bool accepts = wrong<X...>.problem == complaint::none;

  /// Calls the function. Returns nothing, the output, or a tuple of outputs.
  /// Throws shape_error, index_error or memory_error before shared variables change.
  template <class... X>
  auto operator()(const X&... arguments) {
    using given = std::tuple<X...>;
    constexpr unfit_argument found = wrong<X...>;
    if constexpr (accepts<X...>) {
      return within_memory([&] { return call(static_cast<parameters*>(nullptr), arguments...); });
    } else if constexpr (found.problem == complaint::argument_count) {
      reject<found.problem, parameters, given>();
      return refused_function<Function>()();
    } else {
      reject<found.problem, told::argument<static_cast<int>(found.position) + 1>,
             std::tuple_element_t<found.position, parameters>, std::tuple_element_t<found.position, given>>();
      return refused_function<Function>()();
    }
  }

  /// Calls the function and puts the output into `result`, or the outputs into `std::tie(first, second)`: tensors, which keep their memory if
  /// they have the extents of the outputs already. If it throws, they are as they were.
  template <class Result, class... X>
  void into(Result&& result, const X&... arguments) {
    if constexpr (!can_take<std::remove_cvref_t<Result>>(static_cast<outputs*>(nullptr))) {
      reject<complaint::result_tensor, outputs, std::remove_cvref_t<Result>>();
    } else if constexpr (!accepts<X...>) {
      (*this)(arguments...);  // says what is wrong
    } else if constexpr (is_tensor<std::remove_cvref_t<Result>>) {
      within_memory([&] { call_into(std::tie(result), static_cast<parameters*>(nullptr), arguments...); });
    } else {
      within_memory([&] { call_into(result, static_cast<parameters*>(nullptr), arguments...); });
    }
  }

  /// Every buffer of a call with these extents, `f.memory_plan(batch(1024))`: what it is, how large, when it is needed, and with which others it
  /// shares memory.
  template <class... Tag>
  memory_table memory_plan(extent_value_of<Tag>... given) const {
    reject<symbol_values<code>::template problem<Tag...>, Function, Tag...>();
    return make_memory_table<code, source>(given...);
  }

  /// The shared variables that it reads and writes.
  const shared_storage& storage() const { return *storage_; }

 private:
  /// Shapes of arguments, shared variables and outputs.
  struct shapes {
    shape inputs[capture::size.inputs + 1] = {};
    shape shared[capture::size.shared + 1] = {};
    shape outputs[output_count + 1] = {};
  };
  static constexpr shapes call_shapes = [] {
    shapes s;
    constexpr const auto& before = capture::value;
    constexpr const auto& after = source::value;
    for (int i = 0; i < capture::size.inputs; ++i) s.inputs[i] = before.shapes[before.inputs[i].shape];
    for (int i = 0; i < capture::size.shared; ++i) s.shared[i] = before.shapes[before.shared[i].shape];
    for (int i = 0; i < output_count; ++i) s.outputs[i] = after.shapes[after.nodes[after.outputs[i]].shape];
    return s;
  }();

  using kernels = on_host::kernels_of<code>;
  shared_storage* storage_;
  on_host::executor executor_;
  call_extents extents_{kernels::plan};

  template <class... P, class... X>
  auto call(std::tuple<P...>*, const X&... x) {
    return run(argument_of<P>(x)...);
  }
  template <class... A>
  auto run(const A&... arguments) {
    prepare(arguments...);
    auto made = make_outputs(std::make_integer_sequence<int, output_count>{});
    execute(made, arguments...);
    if constexpr (output_count == 1) return std::move(std::get<0>(made));
    else if constexpr (output_count > 1) return made;
  }
  /// Finds the extents and fixes loops and memory for them.
  template <class... A>
  void prepare(const A&... arguments) {
    extents_.begin();
    int index = 0;
    (note_argument(arguments, index++), ...);
    for (int v = 0; v < capture::size.shared; ++v)
      extents_.note(call_shapes.shared[v], storage_->extents[static_cast<std::size_t>(v)].data(), -1);
    extents_.finish();
    executor_.bind(extents_.values());
  }
  template <class Results, class... A>
  void execute(Results& results, const A&... arguments) {
    std::byte* addresses[output_count + 1] = {};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((addresses[I] = reinterpret_cast<std::byte*>(std::get<I>(results).data())), ...);
    }(std::make_index_sequence<static_cast<std::size_t>(output_count)>{});
    const std::byte* inputs[] = {arguments.bytes()..., nullptr};
    executor_.run(inputs, storage_->addresses.data(), addresses);
  }

  template <class... Out, class... P, class... X>
  void call_into(std::tuple<Out&...> results, std::tuple<P...>*, const X&... x) {
    run_into(results, std::make_integer_sequence<int, output_count>{}, argument_of<P>(x)...);
  }
  template <class... Out, int... I, class... A>
  void run_into(std::tuple<Out&...>& results, std::integer_sequence<int, I...> all, const A&... arguments) {
    prepare(arguments...);
    // what can still fail, or would write over what it reads, writes to memory of its own
    const bool in_place = executor_.cannot_fail() && ((std::get<I>(results).extents() == output_extents<I>()) && ...) &&
                          are_apart<sizeof...(I)>({memory_of(std::get<I>(results))..., arguments.memory()...});
    if (in_place) return execute(results, arguments...);
    auto made = make_outputs(all);
    execute(made, arguments...);
    ((std::get<I>(results) = std::move(std::get<I>(made))), ...);
  }
  template <class A>
  void note_argument(const A& argument, int index) {
    if constexpr (std::tuple_size_v<decltype(argument.extents)> > 0)
      extents_.note(call_shapes.inputs[index], argument.extents.data(), index);
    else if constexpr (std::is_integral_v<decltype(argument.number)>)
      extents_.note_scalar(index, static_cast<std::int64_t>(argument.data ? *argument.data : argument.number));
  }
  template <int I>
  using output = std::tuple_element_t<static_cast<std::size_t>(I), outputs>;
  template <int... I>
  auto make_outputs(std::integer_sequence<int, I...>) {
    return std::tuple<tensor<typename output<I>::element, output<I>::rank>...>(
        tensor<typename output<I>::element, output<I>::rank>(output_extents<I>())...);
  }
  template <int I>
  auto output_extents() const {
    const shape& s = call_shapes.outputs[I];
    std::array<std::int64_t, static_cast<std::size_t>(output<I>::rank)> e{};
    for (std::size_t axis = 0; axis < e.size(); ++axis) e[axis] = extents_.value(s[static_cast<int>(axis)]);
    return e;
  }
};

/// `function(lambda)`: a function of tensors that needs no model. The lambda takes kt::var<...>s and captures nothing.
template <policy Wanted = policy::none, class Lambda>
auto function(Lambda, const context& where = context::best()) {
  using function = lambda_function<Lambda>;
  if constexpr (function_problem<function> != complaint::none) {
    if constexpr (function_problem<function> == complaint::not_constant) cannot_evaluate<function>();
    else reject<function_problem<function>, function>();
    return refused_function<function>();
  } else {
    using found = diagnosis_of<captured<function>>;
    diagnosed<found::what>(typename found::details());
    if constexpr (is_sound<function>) {
      enforce<Wanted, captured<function>>();
      static shared_storage none;
      return within_memory([&] { return compiled_function<function>(where, &none); });
    } else {
      return refused_function<function>();
    }
  }
}

}  // namespace kroton
