// This header has functions that are straight code. All their extents are numbers, they belong to no session and to no
// context, and a call is nothing but their arithmetic.
//
//     const auto f = kt::function([](kt::var<double, 6, 6> A, kt::var<double, 6> x) { return kt::dot(A, x); });
//     f.into(y, A, x);  // compares extents, multiplies in registers, allocates nothing
#pragma once

#include <kroton/runtime/function.hpp>
#include <kroton/runtime/host/straight_code.hpp>
#include <kroton/runtime/scalar_code.hpp>

namespace kroton::runtime {

/// A function of tensors whose extents are numbers, with straight code; `kt::function` returns it where no context is
/// given. It has no memory of its own, so that it can be copied, and any number of threads may call it at a time.
template <class Function, class Backend>
class compiled_function<Function, straight_backend<Backend>> {
 public:
  using frame = call_frame<Function>;
  using capture = captured<Function>;
  using passes = pipeline<typename prepared<capture, Backend>::type>;
  using source = typename passes::laid_out;
  using code = typename passes::lowered;
  using outputs = typename frame::outputs;

  /// Refuses a call inside another function, with expressions.
  template <symbolic X, class... Y>
  constexpr auto operator()(const X& x, const Y&...) const {
    reject<complaint::compiled_inside, X>();
    return x;
  }

  template <class... X>
  static constexpr bool accepts = frame::template accepts<X...>;

  /// Calls the function. Returns nothing, the output, or a tuple of outputs. Throws shape_error.
  template <class... X>
  KROTON_INLINE constexpr auto operator()(const X&... arguments) const {
    frame::template check<X...>();
    if constexpr (accepts<X...> && are_scalars) return call_scalars(static_cast<parameters*>(nullptr), arguments...);
    else if constexpr (accepts<X...>) return call(static_cast<parameters*>(nullptr), output_numbers(), arguments...);
    else return refused_function<Function>()();
  }
  /// The same with the members of a struct: `f({.x = positions, .angle = 0.1f})`.
  auto operator()(const typename frame::named& arguments) const requires(frame::takes_named) {
    return with_members(arguments, [&](const auto&... each) { return (*this)(each...); });
  }

  /// Calls the function and puts the output into the tensor `result`, or the outputs into `std::tie(first, second)`. A
  /// tensor that already has the extents of its output keeps its memory. If the call throws, the tensors are as they
  /// were.
  template <class Result, class... X>
  KROTON_INLINE void into(Result&& result, const X&... arguments) const {
    frame::template check<X...>();
    constexpr complaint problem = problem_of_result<Result, typename frame::output_tensors>();
    if constexpr (problem != complaint::none) reject<problem, outputs, Result>();
    else if constexpr (accepts<X...> && is_tensor<std::remove_cvref_t<Result>>)
      call_into(std::tie(result), static_cast<parameters*>(nullptr), output_numbers(), arguments...);
    else if constexpr (accepts<X...>)
      call_into(result, static_cast<parameters*>(nullptr), output_numbers(), arguments...);
  }
  template <class Result>
  void into(Result&& result, const typename frame::named& arguments) const requires(frame::takes_named) {
    with_members(arguments, [&](const auto&... each) { into(result, each...); });
  }

  /// A table of the buffers of a call, `f.memory_plan()`, see compiled_function.
  template <class... Tag>
  memory_table memory_plan(extent_value_of<Tag>...) const {
    reject<symbol_values<code>::template problem<Tag...>, Function, Tag...>();
    return make_memory_table(plan, memory_sizes(plan, nullptr), facts_of_buffers<code, source>.data(),
                             named_places<source>.data(), nullptr);
  }

  compiled_function clone() const { return *this; }
  compiled_function shared() const { return *this; }
  /// Does nothing, because the function draws no random numbers.
  void reseed(seed) const {}

  static constexpr bool changes_nothing = true;
  /// Whether arguments and outputs are scalars, so that a call can be a constant expression.
  static constexpr bool are_scalars = [] {
    for (int i = 0; i < capture::size.inputs; ++i)
      if (frame::all.inputs[i].rank > 0) return false;
    for (int i = 0; i < frame::output_count; ++i)
      if (frame::all.outputs[i].rank > 0) return false;
    return scalar_code<code>::is_possible;
  }();
  static const std::shared_ptr<shared_storage>& storage() { return empty_storage(); }
  static context where() { return context::shared_host(); }
  static product_math math() { return {}; }

 private:
  using parameters = typename frame::parameters;
  using output_numbers = std::make_integer_sequence<int, frame::output_count>;
  using straight = on_host::straight_code<code>;
  static constexpr plan_view plan = call_plan_of<code>;

  template <int I>
  using output_tensor = tensor<typename frame::template output<I>::element, frame::template output<I>::rank>;
  template <int I>
  static constexpr std::int64_t bytes_of_output = [] {
    std::int64_t bytes = sizeof(typename frame::template output<I>::element);
    for (int axis = 0; axis < frame::all.outputs[I].rank; ++axis)
      bytes = product_of_extents(bytes, frame::all.outputs[I][axis]);
    return bytes;
  }();
  template <int I>
  static constexpr auto extents_of_output = [] {
    indexed_array<std::int64_t, frame::template output<I>::rank> e{};
    int axis = 0;
    for (std::int64_t& extent : e) extent = frame::all.outputs[I][axis++];
    return e;
  }();

  template <class... P, class... X>
  KROTON_INLINE static constexpr auto call_scalars(std::tuple<P...>*, const X&... x) {
    if (!(holds_number<P>(x) && ...)) [[unlikely]]
      refuse<P...>(x...);
    return scalar_code<code>::type::with_outputs(
        [](const auto&... each) {
          if constexpr (sizeof...(each) == 1)
            return (tensor<std::remove_cvref_t<decltype(each)>, 0>::scalar(each), ...);
          else if constexpr (sizeof...(each) > 1)
            return std::tuple(tensor<std::remove_cvref_t<decltype(each)>, 0>::scalar(each)...);
        },
        number_for<P>(x)...);
  }
  /// Whether the element type of a scalar argument can hold what is given for it; and that as a number.
  template <class P, class X>
  KROTON_INLINE static constexpr bool holds_number(const X& x) {
    if constexpr (is_tensor<X>) return true;
    else if constexpr (literal<X>) return holds(dtype_of<typename P::element>, x);
    else return argument_of<P>(x).fits;
  }
  template <class P, class X>
  KROTON_INLINE static constexpr typename P::element number_for(const X& x) {
    if constexpr (is_tensor<X>) return *x.data();
    else if constexpr (literal<X>) return static_cast<typename P::element>(x);
    else {
      const argument_of<P> given(x);
      return given.data == nullptr ? given.number : *given.data;
    }
  }
  template <class... P, int... I, class... X>
  KROTON_INLINE static auto call(std::tuple<P...>*, std::integer_sequence<int, I...>, const X&... x) {
    return [&](const auto&... arguments) KROTON_INLINE_LAMBDA {
      if (!frame::fit(arguments...)) [[unlikely]]
        refuse<P...>(x...);
      if constexpr (sizeof...(I) == 1) {
        auto made = (make_output<I>(), ...);
        std::byte* const to[] = {reinterpret_cast<std::byte*>(made.address())};
        execute(to, arguments...);
        return made;
      } else if constexpr (sizeof...(I) > 1) {
        auto made = make_outputs<I...>();
        execute(frame::addresses(made).data(), arguments...);
        return made;
      }
    }(bind_plainly<P>(x)...);
  }
  /// Throws the error of arguments that do not fit.
  template <class... P, class... X>
  [[gnu::cold, gnu::noinline]] static void refuse(const X&... x) {
    call_extents found(plan, {frame::argument_names, frame::shared_names});
    frame::find_extents(found, *storage(), argument_of<P>(x)...);
  }
  template <int... I>
  KROTON_INLINE static auto make_outputs() {
    return std::tuple<output_tensor<I>...>(make_output<I>()...);
  }
  /// A new output. It borrows memory of a context if it is so large that memory is kept for it.
  template <int I>
  KROTON_INLINE static auto make_output() {
    if constexpr (bytes_of_output<I> < least_large_bytes) return output_tensor<I>(extents_of_output<I>, nullptr);
    else {
      static const context home = context::shared_host();
      return output_tensor<I>(extents_of_output<I>, home.lender());
    }
  }
  template <class X>
  KROTON_INLINE static bool expects_nothing(const X& x) {
    if constexpr (is_tensor<X>) return x.expects_nothing();
    else return true;
  }
  template <class... A>
  KROTON_INLINE static void execute(std::byte* const* to, const A&... arguments) {
    const std::byte* const inputs[] = {arguments.bytes()..., nullptr};
    straight::run(inputs, to);
  }

  /// Whether outputs can be written to the tensors of the caller, which have to have their extents and overlap nothing.
  template <class... Out, int... I, class... A>
  KROTON_INLINE static bool are_in_place(const std::tuple<Out&...>& results, std::integer_sequence<int, I...>,
                                         const A&... arguments) {
    return (are_extents(std::get<I>(results).extents(), extents_of_output<I>.data()) && ...) &&
           are_apart<sizeof...(I)>(
               {memory_range{reinterpret_cast<const std::byte*>(std::get<I>(results).address()), bytes_of_output<I>}...,
                arguments.memory()...});
  }
  template <class... Out, class... P, int... I, class... X>
  KROTON_INLINE static void call_into(std::tuple<Out&...> results, std::tuple<P...>*,
                                      std::integer_sequence<int, I...> each, const X&... x) {
    if constexpr (sizeof...(I) > 1) require_different({&std::get<I>(results)...});
    if ((expects_nothing(x) && ...) && (expects_nothing(std::get<I>(results)) && ...)) [[likely]] {
      const bool is_done = [&](const auto&... arguments) KROTON_INLINE_LAMBDA {
        if (!frame::fit(arguments...) || !are_in_place(results, each, arguments...)) [[unlikely]]
          return false;
        execute(frame::addresses(results).data(), arguments...);
        return true;
      }(bind_plainly<P>(x)...);
      if (is_done) [[likely]]
        return;
    }
    call_with_care<P...>(results, each, x...);
  }
  /// The same for all calls: tensors may wait for a device, or not fit, or overlap. It is a function of its own, so
  /// that others need not keep registers for it.
  template <class... P, class... Out, int... I, class... X>
  [[gnu::noinline]] static void call_with_care(std::tuple<Out&...> results, std::integer_sequence<int, I...> each,
                                               const X&... x) {
    [&](const auto&... arguments) {
      if (!frame::fit(arguments...)) refuse<P...>(x...);
      const std::byte* const inputs[] = {arguments.bytes()..., nullptr};
      if (are_in_place(results, each, arguments...)) {
        (std::get<I>(results).expect_nothing(), ...);
        straight::run_apart(inputs, frame::addresses(results).data());
      } else {
        auto made = make_outputs<I...>();
        straight::run_apart(inputs, frame::addresses(made).data());
        ((std::get<I>(results) = std::move(std::get<I>(made))), ...);
      }
    }(bind_plainly<P>(x)...);
  }
};

}  // namespace kroton::runtime
