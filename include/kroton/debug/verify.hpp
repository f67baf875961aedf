// This header compares a call of a compiled function with the reference interpreter.
#pragma once

#include <kroton/warnings_off.hpp>

#include <kroton/kroton.hpp>
#include <kroton/runtime/reference/backward.hpp>
#include <kroton/runtime/reference/interpreter.hpp>

namespace kroton::debug {

/// The result of `verify`; true if all results are right.
struct comparison {
  bool ok = true;
  double max_error = 0;  ///< the largest error, relative (absolute where both numbers are below 1)
  std::string where;     ///< its place: `output 1 at 7`, `shared variable 2 at 0`, `gradient 1 (of argument 1) at 0`
  double found = 0, expected = 0;  ///< the two numbers at that place
  explicit operator bool() const { return ok; }

  /// Notes the error of the number `x`, which should be `y`, if it is the largest so far.
  void compare(const std::string& what, std::size_t at, double x, double y, double accepted);
  /// Notes an error of `x` at a place, if it is the first that is not accepted, or larger than those before.
  void note(const std::string& place, double error, double accepted, double x, double y);
};

/// The relative error that is accepted for floats. For doubles it is 1e-7 times as much, for `half` 200 times and for
/// `bfloat16` 1,600 times as much, which is two units in their last place. For integers that depend on floating-point
/// numbers, such as casts, it is that of floats; for all other integers no error is accepted.
struct tolerance {
  double of_floats = 1e-5;

  constexpr double of(dtype type) const {
    switch (type) {
      case dtype::float64: return of_floats * 1e-7;
      case dtype::float16: return of_floats * 200;
      case dtype::bfloat16: return of_floats * 1600;
      default: return of_floats;
    }
  }
};

/// Converts elements of any type to a tensor of the interpreter.
reference_tensor to_reference(dtype type, const std::byte* elements, std::span<const std::int64_t> extents);
/// Converts a shared variable, which may lie on a device.
reference_tensor to_reference(const shared_storage& storage, int variable, dtype type);
/// Compares all elements of two tensors.
void compare(comparison& known, const std::string& what, const reference_tensor& found,
             const reference_tensor& expected, double accepted);

template <class Function, class Backend, class... X>
comparison compare_call(compiled_function<Function, Backend>& f, tolerance accepted, const X&... arguments) {
  using compiled = compiled_function<Function, Backend>;
  constexpr const auto& captured_graph = compiled::capture::value;
  const shared_storage& storage = *f.storage();
  const auto read_shared = [&](int v) { return to_reference(storage, v, captured_graph.shared[v].type); };
  std::vector<reference_tensor> shared, inputs;
  for (int v = 0; v < captured_graph.size.shared; ++v) shared.push_back(read_shared(v));
  [&]<class... P>(std::tuple<P...>*) {
    [[maybe_unused]] const auto read = [&](const auto& a) {
      inputs.push_back(to_reference(dtype_of<std::remove_cvref_t<decltype(a.number)>>, a.bytes(), a.extents));
    };
    (read(argument_of<P>(elements_on_host(arguments, f.where()))), ...);
  }(static_cast<typename compiled::frame::parameters*>(nullptr));
  graph captured_nodes;
  thaw(captured_graph, captured_nodes);
  const reference::results expected = reference::interpret(captured_nodes, inputs, shared);

  comparison result;
  for (const reference::wrong_gradient& wrong : reference::wrong_gradients(captured_nodes, inputs, shared))
    result.note(wrong.where, HUGE_VAL, accepted.of_floats, wrong.found, wrong.expected);
  auto check_output = [&, i = 0](const auto& given) mutable {
    const auto& y = elements_on_host(given, f.where());
    const dtype type = dtype_of<std::remove_cvref_t<decltype(*y.data())>>;
    compare(result, message("output ", i + 1),
            to_reference(type, reinterpret_cast<const std::byte*>(y.data()), y.extents()), expected.outputs[i],
            expected.exact_outputs[i] ? 0 : accepted.of(type));
    ++i;
  };
  if constexpr (compiled::frame::output_count == 0) f(arguments...);
  else if constexpr (compiled::frame::output_count == 1) check_output(f(arguments...));
  else std::apply([&](const auto&... y) { (check_output(y), ...); }, f(arguments...));
  for (int u = 0; u < captured_graph.size.updates; ++u) {
    const int v = captured_graph.updates[u].target;
    compare(result, message("shared variable ", v + 1), read_shared(v), expected.updates[u],
            expected.exact_updates[u] ? 0 : accepted.of(captured_graph.shared[v].type));
  }
  return result;
}

/// Calls `f` with `arguments`, and compares its outputs and the new values of shared variables with those of the
/// interpreter, which evaluates the captured function before any pass, operation by operation in double. The gradients
/// in the function are compared with those of a backward run of the interpreter, which measures slopes by differences
/// (runtime/reference/backward.hpp). The call is like any other: it makes updates, and its errors are thrown.
template <class Function, class Backend, class... X>
[[nodiscard]] comparison verify(compiled_function<Function, Backend>& f, tolerance accepted, const X&... arguments) {
  require_kernels<captured<Function>, backend_kind::reference>();
  if constexpr (compiled_function<Function, Backend>::template accepts<X...>)
    return compare_call(f, accepted, arguments...);
  else call_frame<Function>::template check<X...>();
  return {};
}

/// The same with a tolerance of 1e-5, and 1e-12 for doubles: `kt::debug::verify(f, x, y)`.
template <class Function, class Backend, class... X>
[[nodiscard]] comparison verify(compiled_function<Function, Backend>& f, const X&... arguments) {
  require_kernels<captured<Function>, backend_kind::reference>();
  if constexpr (compiled_function<Function, Backend>::template accepts<X...>)
    return compare_call(f, tolerance{}, arguments...);
  else call_frame<Function>::template check<X...>();
  return {};
}

/// The same with the members of a struct: `kt::debug::verify(train, {.x = images, .label = labels})`.
template <class Function, class Backend>
  requires(call_frame<Function>::takes_named)
[[nodiscard]] comparison verify(compiled_function<Function, Backend>& f,
                                const typename call_frame<Function>::named& arguments) {
  return with_members(arguments, [&](const auto&... each) { return verify(f, each...); });
}

/// Does nothing for a function that was refused.
template <class Function, class... X>
[[nodiscard]] comparison verify(const refused_function<Function>&, const X&...) {
  return {};
}

}  // namespace kroton::debug

#if KROTON_HAS_DEFINITIONS
#include <kroton/debug/verify.ipp>
#endif

#include <kroton/warnings_back.hpp>
