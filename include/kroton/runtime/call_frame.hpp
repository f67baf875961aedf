// This header has the frame of a call, which plain and chunked calls share: the shapes of arguments, shared variables
// and outputs, and the checks of them.
#pragma once

#include <kroton/arithmetic/indexed.hpp>
#include <kroton/expr/capture.hpp>
#include <kroton/expr/diagnose.hpp>
#include <kroton/passes/live.hpp>
#include <kroton/runtime/extents_at_call.hpp>
#include <kroton/runtime/given_arguments.hpp>
#include <kroton/runtime/placed_tensor.hpp>
#include <kroton/runtime/program/executor.hpp>
#include <kroton/runtime/shared_storage.hpp>

#include <tuple>

namespace kroton::runtime {

/// The place at which output `I` of a captured function stays; anywhere: the host gets it.
template <class Captured, int I>
inline constexpr place_id stays_at = I < Captured::size.output_places ? Captured::value.output_places[I] : anywhere;

template <class Function>
struct call_frame {
  using capture = captured<Function>;
  using parameters = typename Function::variables::types;
  /// What a call gives in place of a struct of variables.
  using named = typename named_arguments<typename Function::variables>::type;
  static constexpr bool takes_named = Function::variables::are_named;
  using outputs = typename result_traits<typename Function::result>::outputs;
  static constexpr int output_count = std::tuple_size_v<outputs>;
  template <int I>
  using output = std::tuple_element_t<static_cast<std::size_t>(I), outputs>;

  /// The mistake in arguments of these types.
  template <class... X>
  static constexpr unfit_argument wrong = first_unfit(static_cast<parameters*>(nullptr),
                                                      static_cast<std::tuple<X...>*>(nullptr));
  template <class... X>
  static constexpr bool accepts =
      std::is_same_v<std::tuple<X...>, std::tuple<named>> || wrong<X...>.problem == complaint::none;
  /// Refuses arguments of wrong types with a sentence.
  template <class... X>
  static constexpr void check() {
    constexpr unfit_argument found = wrong<X...>;
    if constexpr (found.problem == complaint::argument_count) reject<found.problem, parameters, std::tuple<X...>>();
    else if constexpr (found.problem != complaint::none)
      reject<found.problem, told::argument<static_cast<int>(found.position) + 1>,
             std::tuple_element_t<found.position, parameters>,
             std::tuple_element_t<found.position, std::tuple<X...>>>();
  }

  /// The place at which output `I` stays; null: the host gets it.
  template <int I>
  static constexpr const place_name* output_place = [] {
    constexpr place_id place = stays_at<capture, I>;
    if constexpr (place == at_home) return &place_of<struct home>;
    else if constexpr (place >= first_named_place) return capture::value.places[place - first_named_place];
    else return static_cast<const place_name*>(nullptr);
  }();
  template <int I>
  using output_tensor = typename tensor_of<typename output<I>::element, output<I>::rank, output_place<I>>::type;
  template <class Indices>
  struct tensors_of;
  template <int... I>
  struct tensors_of<std::integer_sequence<int, I...>> {
    using type = std::tuple<output_tensor<I>...>;
  };
  using output_tensors = typename tensors_of<std::make_integer_sequence<int, output_count>>::type;
  /// Whether the caller gives or gets elements in memory of other contexts than the host.
  static constexpr bool has_places = [] {
    for (int i = 0; i < capture::size.inputs; ++i)
      if (capture::value.inputs[i].is_placed) return true;
    return capture::size.output_places > 0;
  }();

  struct shapes {
    shape inputs[capture::size.inputs + 1] = {};
    shape shared[capture::size.shared + 1] = {};
    plain_array<shape, output_count + 1> outputs = {};
    bool are_bounds[capture::size.inputs + 1] = {};  ///< whether extents follow from the value of each argument
    bool uses[capture::size.shared + 1] = {};        ///< whether the function reads or writes each shared variable
  };
  static constexpr shapes all = [] {
    shapes s;
    constexpr const auto& before = capture::value;
    for (int i = 0; i < capture::size.inputs; ++i) s.inputs[i] = before.shapes[before.inputs[i].shape];
    for (int i = 0; i < capture::size.shared; ++i) s.shared[i] = before.shapes[before.shared[i].shape];
    for (int i = 0; i < output_count; ++i) s.outputs[i] = before.shapes[before.nodes[before.outputs[i]].shape];
    for (int i = 0; i < capture::size.symbols; ++i)
      if (before.symbols[i].kind == extent_kind::scalar) s.are_bounds[before.symbols[i].a] = true;
    const array_list<bool> live = live_nodes(before);
    for (int id = 0; id < capture::size.nodes; ++id)
      if (live[id] && before.nodes[id].op->id == id_of<ops::shared>)
        s.uses[variable_form::of(before.nodes[id].attr).position] = true;
    for (int i = 0; i < capture::size.updates; ++i) s.uses[before.updates[i].target] = true;
    return s;
  }();

  /// Whether a call leaves all shared variables as they were.
  static constexpr bool changes_nothing = capture::size.updates == 0;
  /// The lock that a call holds on the shared variables while it runs.
  using variables_turn = std::conditional_t<
      capture::size.shared == 0, no_turn,
      std::conditional_t<changes_nothing, std::shared_lock<variables_lock>, std::unique_lock<variables_lock>>>;

  static constexpr bool changes_integers = [] {
    for (int i = 0; i < capture::size.updates; ++i)
      if (!is_floating(capture::value.shared[capture::value.updates[i].target].type)) return true;
    return false;
  }();
  static constexpr auto argument_names = [] {
    indexed_array<name_text, capture::size.inputs> names;
    for (std::size_t i = 0; i != names.size(); ++i) names[i] = name_of_argument(capture::value, static_cast<int>(i));
    return names;
  }();
  static constexpr auto shared_names = [] {
    indexed_array<name_text, capture::size.shared> names;
    for (std::size_t i = 0; i != names.size(); ++i) names[i] = name_of_shared(capture::value, static_cast<int>(i));
    return names;
  }();

  /// Finds the values of all extents. Throws shape_error if the extents of arguments and shared variables do not agree.
  template <class... A>
  static void find_extents(call_extents& found, const shared_storage& storage, const A&... arguments) {
    found.begin();
    int index = 0;
    (note(found, arguments, index++), ...);
    for (int v = 0; v < capture::size.shared; ++v)
      if (all.uses[v]) found.note(all.shared[v], storage.extents[static_cast<std::size_t>(v)].data(), -1 - v);
    for (int v = 0; v < capture::size.shared; ++v)
      if (!all.uses[v]) found.complete(all.shared[v], storage.extents[static_cast<std::size_t>(v)].data());
    found.finish();
  }
  /// Numbers from which the extents of a call follow: the version of the extents of shared variables, the extents of
  /// arguments, and the integers among them that are bounds of slices.
  static constexpr int fact_count = [] {
    int count = 1;
    for (int i = 0; i < capture::size.inputs; ++i) count += all.are_bounds[i] ? 1 : all.inputs[i].rank;
    return count;
  }();
  using call_facts = std::array<std::int64_t, static_cast<std::size_t>(fact_count)>;
  /// The facts of a call. The version is 0, as that of no storage is, if an argument is refused whatever its extents.
  template <class... A>
  KROTON_INLINE static call_facts facts_of(const shared_storage& storage, const A&... arguments) {
    call_facts facts;
    std::size_t next = 0;
    facts[next++] = (is_acceptable(arguments) && ...) ? storage.extents_version : 0;
    [[maybe_unused]] int index = 0;
    (add_facts(facts, next, arguments, index++), ...);
    return facts;
  }
  /// Whether arguments have the extents of a function whose extents are all numbers.
  template <class... A>
  KROTON_INLINE static bool fit(const A&... arguments) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) KROTON_INLINE_LAMBDA { return (fits<I>(arguments) && ...); }
    (std::index_sequence_for<A...>{});
  }
  template <int I>
  static auto output_extents(const call_extents& found) {
    indexed_array<std::int64_t, output<I>::rank> e{};
    int axis = 0;
    for (std::int64_t& extent : e) extent = found.value(all.outputs[I][axis++]);
    return e;
  }
  /// The context in whose memory output `I` of a function that is bound to the context `where` lies.
  template <int I>
  static const context& context_of_output(const executor& e, const context& where) {
    if constexpr (is_same_place<output_place<I>, nullptr>) return where;
    else return e.place(stays_at<capture, I>);
  }
  /// Tensors for all outputs.
  static output_tensors make_outputs(const call_extents& found, const context& where, const executor& e) {
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return output_tensors(make_output<I>(output_extents<I>(found), context_of_output<I>(e, where))...);
    }
    (std::make_integer_sequence<int, output_count>{});
  }
  /// The result of a call: nothing, the output, or a tuple of outputs.
  template <class Made>
  static auto returned(Made&& made) {
    if constexpr (output_count == 1) return std::move(std::get<0>(made));
    else if constexpr (output_count > 1) return std::move(made);
  }
  /// The addresses of tensors in a tuple.
  template <class... Out>
  static std::array<std::byte*, sizeof...(Out) + 1> addresses(std::tuple<Out...>& made) {
    return std::apply(
        [](auto&... x) {
          return std::array<std::byte*, sizeof...(Out) + 1>{reinterpret_cast<std::byte*>(x.address())...};
        },
        made);
  }

 private:
  template <int I, class Extents>
  static output_tensor<I> make_output(const Extents& extents, const context& where) {
    if constexpr (is_same_place<output_place<I>, nullptr>) return output_tensor<I>(extents, where.lender());
    else return output_tensor<I>(extents, where);
  }
  template <class A>
  static constexpr int rank_of = static_cast<int>(std::tuple_size_v<decltype(A::extents)>);
  template <class A>
  KROTON_INLINE static void add_facts(call_facts& facts, std::size_t& next, const A& argument, int index) {
    for (std::int64_t e : argument.extents) facts[next++] = e;
    if constexpr (std::is_integral_v<decltype(argument.number)>)
      if (rank_of<A> == 0 && all.are_bounds[index])
        facts[next++] = static_cast<std::int64_t>(argument.data ? *argument.data : argument.number);
  }
  template <class A>
  KROTON_INLINE static bool is_acceptable(const A& argument) {
    if constexpr (rank_of < A >> 0) return argument.data != nullptr || !has_elements(argument.extents);
    else return argument.fits;
  }
  template <std::size_t I, class A>
  KROTON_INLINE static bool fits(const A& argument) {
    return is_acceptable(argument) && are_extents(argument.extents, all.inputs[I].extent);
  }
  template <class A>
  static void note(call_extents& found, const A& argument, int index) {
    if constexpr (std::tuple_size_v < decltype(argument.extents) >> 0) {
      if (argument.data == nullptr && has_elements(argument.extents)) refuse_null(argument_names[index]);
      found.note(all.inputs[index], argument.extents.data(), index);
    } else {
      if (!argument.fits) refuse_number(argument_names[index], argument.given, dtype_of<decltype(argument.number)>);
      if constexpr (std::is_integral_v<decltype(argument.number)>)
        found.note_scalar(index, static_cast<std::int64_t>(argument.data ? *argument.data : argument.number));
    }
  }
};

}  // namespace kroton::runtime
