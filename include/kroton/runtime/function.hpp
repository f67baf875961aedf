// This header has compiled functions. The compiler has captured, rewritten and lowered them; a call checks extents and
// runs their kernels.
#pragma once

#include <kroton/expr/capture.hpp>
#include <kroton/expr/diagnose.hpp>
#include <kroton/passes/pipeline.hpp>
#include <kroton/runtime/call_frame.hpp>
#include <kroton/runtime/host/launch.hpp>
#include <kroton/runtime/kernel_check.hpp>
#include <kroton/runtime/placed_results.hpp>
#include <kroton/runtime/program/memory_table.hpp>
#include <kroton/runtime/symbols.hpp>
#include <kroton/runtime/policy.hpp>
#include <kroton/runtime/refused_function.hpp>

namespace kroton::runtime {

/// The context of each place of the function `Code`, which is bound to the context `where`. `Source` has the names of
/// the places. Throws device_error if a name is not mapped.
template <class Code, class Source>
std::vector<context> contexts_of(const context& where) {
  if constexpr (Code::size.places == 1)
    return {where};  // so that a program that names no contexts has no code for them
  else return contexts_of(named_places<Source>.data(), Code::size.places, where);
}

/// The kernels of functions that run on the host alone.
struct host_backend {
  static constexpr backend_kind kind = backend_kind::host;
  template <class Code>
  using kernels_of = runtime::on_host::kernels_of<Code>;
};

/// The same backend, for functions in which quotients by one divisor may be products with its reciprocal.
template <class Backend>
struct sharing_backend : Backend {};
/// The same backend, for functions that are straight code, see straight_function.hpp.
template <class Backend>
struct straight_backend : Backend {};
/// The graph with which the passes begin for a captured function and its backend.
template <class Captured, class Backend>
struct prepared {
  using type = placed<Captured>;
};
template <class Captured, class Backend>
struct prepared<Captured, sharing_backend<Backend>> {
  using type = sharing_reciprocals<placed<Captured>>;
};

template <class Captured, class Backend>
struct prepared<Captured, straight_backend<Backend>> : prepared<Captured, Backend> {};

/// The backend of the functions in this file; kroton/cuda.hpp adds GPUs.
#ifndef KROTON_BACKEND
#define KROTON_BACKEND ::kroton::runtime::host_backend
#endif

/// Whether a function draws random numbers.
template <class Function>
inline constexpr bool draws = random_state_position(captured<Function>::value.shared,
                                                    captured<Function>::size.shared) < captured<Function>::size.shared;
/// The seed of initial values and of random numbers.
struct seed {
  std::uint64_t value = 0;
};
/// The variables of a function that belongs to no session: the state of random numbers, if it draws any.
template <class Function>
std::shared_ptr<shared_storage> own_storage(const context& where, seed s) {
  if constexpr (!draws<Function>) return empty_storage();
  else {
    auto storage =
        std::make_shared<shared_storage>(list_view<variable>(), nullptr, nullptr, std::vector<context>{where}, s.value);
    storage->require_random_state();
    return storage;
  }
}

/// False for every function: the copy constructor exists only to refuse copies with a sentence.
template <class Function>
inline constexpr bool may_be_copied = false;

/// A function of tensors, with memory of its own; `session.compile` and `kt::function` return it. Only one thread may
/// call it at a time; `f.clone()` returns a function for another thread.
template <class Function, class Backend = KROTON_BACKEND>
class compiled_function {
 public:
  using frame = call_frame<Function>;
  using capture = captured<Function>;
  using passes = pipeline<typename prepared<capture, Backend>::type>;
  using source = typename passes::laid_out;
  using code = typename passes::lowered;
  using outputs = typename frame::outputs;

  compiled_function(const context& where, std::shared_ptr<shared_storage> storage, product_math math)
      : storage_(std::move(storage)), where_(where), math_(math),
        executor_(kernels::make_executor(contexts_of<code, source>(where), math)) {}
  compiled_function(compiled_function&&) noexcept = default;
  compiled_function& operator=(compiled_function&& f) noexcept { return replace_by_moving(*this, f); }
  /// This constructor refuses copies, and the next three functions refuse calls of a const object. The constructor
  /// refuses in its body, so that std::optional and others can ask whether there is a copy constructor.
  compiled_function(const compiled_function& f) : where_(f.where_) {
    static_assert(may_be_copied<Function>,
                  "kroton: a compiled function is moved, not copied: std::move(f), or f.clone(); a std::function takes "
                  "std::move(c).shared() of a kt::callable");
  }
  template <class... X>
  auto operator()(const X&...) const -> decltype(refused_function<Function>()()) {
    reject<complaint::const_call, compiled_function>();
    return refused_function<Function>()();
  }
  auto operator()(const typename frame::named&) const requires(frame::takes_named) {
    reject<complaint::const_call, compiled_function>();
    return refused_function<Function>()();
  }
  template <class... X>
  void into(const X&...) const {
    reject<complaint::const_call, compiled_function>();
  }
  /// Refuses a call inside another function, with expressions.
  template <symbolic X, class... Y>
  constexpr auto operator()(const X& x, const Y&...) {
    reject<complaint::compiled_inside, X>();
    return x;
  }

  template <class... X>
  static constexpr bool accepts = frame::template accepts<X...>;

  /// Calls the function. Returns nothing, the output, or a tuple of outputs.
  /// Throws shape_error, index_error or memory_error before shared variables change.
  template <class... X>
  auto operator()(const X&... arguments) {
    frame::template check<X...>();
    if constexpr (accepts<X...>)
      return within_memory([&] { return call(static_cast<parameters*>(nullptr), arguments...); });
    else return refused_function<Function>()();
  }

  /// The same with the members of a struct: `train({.x = images, .label = labels})`.
  auto operator()(const typename frame::named& arguments) requires(frame::takes_named) {
    return with_members(arguments, [&](const auto&... each) { return (*this)(each...); });
  }

  /// Calls the function and puts the output into the tensor `result`, or the outputs into `std::tie(first, second)`. A
  /// tensor that already has the extents of its output keeps its memory. If the call throws, the tensors are as they
  /// were. A tensor or view at a place receives its output there: for such a call the function is compiled once more,
  /// and has memory for both.
  template <class Result, class... X>
  void into(Result&& result, const X&... arguments) {
    frame::template check<X...>();
    constexpr complaint problem = problem_of_result<Result, typename frame::output_tensors>();
    using receiver = typename receiving<Function, targets_of<Result>, typename frame::output_tensors>::type;
    if constexpr (!std::is_same_v<receiver, Function>)
      within_memory([&] { received<receiver>().into(std::forward<Result>(result), arguments...); });
    else if constexpr (problem != complaint::none) reject<problem, outputs, Result>();
    else if constexpr (accepts<X...> && is_tuple<std::remove_cvref_t<Result>>)
      within_memory([&] { call_into(result, static_cast<parameters*>(nullptr), arguments...); });
    else if constexpr (accepts<X...>)
      within_memory([&] { call_into(std::tie(result), static_cast<parameters*>(nullptr), arguments...); });
  }

  template <class Result>
  void into(Result&& result, const typename frame::named& arguments) requires(frame::takes_named) {
    with_members(arguments, [&](const auto&... each) { into(result, each...); });
  }

  /// Refuses; a kt::callable has a function `shared` for std::function.
  compiled_function shared() const { return *this; }

  /// A table of the buffers of a call with these extents, `f.memory_plan(batch(1024))`. For each buffer it has the
  /// name, the size, the steps that need it, and the buffers that share its memory.
  template <class... Tag>
  memory_table memory_plan(extent_value_of<Tag>... given) const {
    require_present();
    reject<symbol_values<code>::template problem<Tag...>, Function, Tag...>();
    (require_extent("memory_plan", given.value), ...);
    return within_memory([&] {
      const symbol_values<code> values(given...);
      return make_memory_table(kernels::plan(), executor_->sizes_for(values.values),
                               facts_of_buffers<code, source>.data(), named_places<source>.data(), values.values);
    });
  }

  /// The same function, of the same session, with temporaries of its own, for another thread.
  compiled_function clone() const {
    require_present();
    return within_memory([&] { return compiled_function(where_, storage_, math_); });
  }

  /// Begins the random numbers of a seed, those of the session if the function belongs to one:
  /// `f.reseed(kt::seed{7})`.
  void reseed(seed s) {
    require_present();
    if constexpr (draws<Function>) storage_->reseed(s.value);
  }

  static constexpr bool changes_nothing = frame::changes_nothing, are_scalars = false;
  /// The shared variables that the function reads and writes; the function keeps them alive.
  const std::shared_ptr<shared_storage>& storage() const {
    require_present();
    return storage_;
  }
  /// The context of the operations that have no other place.
  const context& where() const { return where_; }
  product_math math() const { return math_; }

 private:
  using parameters = typename frame::parameters;
  using kernels = typename Backend::template kernels_of<code>;
  std::shared_ptr<shared_storage> storage_;
  context where_;
  product_math math_;
  std::unique_ptr<runtime::executor> executor_;
  typename frame::call_facts facts_{};  // of the last call
  call_extents extents_{kernels::plan(), {frame::argument_names, frame::shared_names}};
  std::vector<std::pair<std::uint64_t, std::shared_ptr<void>>> received_;  // functions whose outputs stay at places

  /// The function `Receiver`, which is this one but for the places of its outputs. It is made when it is first called.
  template <class Receiver>
  auto& received() {
    using function = compiled_function<Receiver, Backend>;
    require_present();
    for (const auto& [kind, made] : received_)
      if (kind == hash_of_type<Receiver>()) return *static_cast<function*>(made.get());
    auto made = std::make_shared<function>(where_, storage_, math_);
    received_.emplace_back(hash_of_type<Receiver>(), made);
    return *made;
  }

  void require_present() const {
    if (executor_ == nullptr) refuse_moved("function");
  }
  template <class... P, class... X>
  auto call(std::tuple<P...>*, const X&... x) {
    require_present();
    return run(bind_at_place<P>(x, where_)...);
  }
  template <class... A>
  auto run(const A&... arguments) {
    const function_turn mine(executor_->is_called);
    [[maybe_unused]] const typename frame::variables_turn variables(storage_->lock);
    prepare(arguments...);
    auto made = make_outputs();
    execute(made, arguments...);
    return frame::returned(made);
  }
  auto make_outputs() const { return frame::make_outputs(extents_, where_, *executor_); }
  /// Finds the extents and fixes loops and memory for them, unless they are those of the last call.
  template <class... A>
  void prepare(const A&... arguments) {
    const auto facts = frame::facts_of(*storage_, arguments...);
    if (facts[0] != 0 && are_extents(facts, facts_.data()) && executor_->is_bound()) [[likely]]
      return;
    facts_ = {};  // because the call may be refused
    frame::find_extents(extents_, *storage_, arguments...);
    executor_->bind(extents_.values());
    facts_ = facts;
  }
  template <class Results, class... A>
  void execute(Results& results, const A&... arguments) {
    const std::byte* inputs[] = {arguments.bytes()..., nullptr};
    const auto to = frame::addresses(results);
    if constexpr (frame::has_places && Backend::kind != backend_kind::host) {
      const auto uses = std::apply(
          [&](const auto&... result) {
            return std::array{use_of(arguments)..., use_of(result)..., stream_use()};
          },
          results);
      executor_->run_between(uses, inputs, storage_->addresses.data(), to.data(), storage_->version);
    } else {
      executor_->run(inputs, storage_->addresses.data(), to.data(), storage_->version);
    }
    if constexpr (frame::changes_integers) ++storage_->version;
    if constexpr (Backend::kind != backend_kind::host)
      expect(results, std::make_integer_sequence<int, frame::output_count>{});
  }
  /// Gives each result the pending value that its readers wait for, if a device still computes it.
  template <class Results, int... I>
  void expect(Results& results, std::integer_sequence<int, I...>) {
    (std::get<I>(results).expect(executor_->pending_output(static_cast<std::size_t>(I))), ...);
  }

  template <class... To, class... P, class... X>
  void call_into(std::tuple<To&...> given, std::tuple<P...>*, const X&... x) {
    require_present();
    std::apply(
        [&](auto&... to) {
          if constexpr (sizeof...(to) > 1) require_different({&to...});
        },
        given);
    auto results = targets_in(given, static_cast<typename frame::output_tensors*>(nullptr));
    run_into(results, std::make_integer_sequence<int, frame::output_count>{}, bind_at_place<P>(x, where_)...);
  }
  template <class... To, class... Made>
  auto targets_in(const std::tuple<To&...>& given, std::tuple<Made...>*) const {
    return std::apply(
        [&](auto&... to) {
          return std::tuple<decltype(target_of<Made>(to, where_))...>(target_of<Made>(to, where_)...);
        },
        given);
  }
  template <class Results, int... I, class... A>
  void run_into(Results& results, std::integer_sequence<int, I...>, const A&... arguments) {
    const function_turn mine(executor_->is_called);
    [[maybe_unused]] const typename frame::variables_turn variables(storage_->lock);
    prepare(arguments...);
    // a call that can still fail, or whose outputs overlap its arguments, writes to new memory
    bool have_room = true;  // each is asked, because a view of other extents is refused
    ((have_room = have_room_for<I>(std::get<I>(results)) && have_room), ...);
    const bool in_place = have_room && executor_->cannot_fail() &&
                          are_apart<sizeof...(I)>({memory_of(std::get<I>(results))..., arguments.memory()...});
    if (in_place) {
      (std::get<I>(results).expect_nothing(), ...);  // abandons values that a device may still compute for them
      return execute(results, arguments...);
    }
    auto made = make_outputs();
    execute(made, arguments...);
    ((std::get<I>(results) = std::move(std::get<I>(made))), ...);
  }
  template <int I, class Target>
  bool have_room_for(const Target& target) const {
    return has_room(target, frame::template output_extents<I>(extents_),
                    frame::template context_of_output<I>(*executor_, where_));
  }
};

/// The backend of a function that is compiled with a policy.
template <policy Wanted, class Backend>
using backend_with = std::conditional_t<includes(Wanted, policy::reciprocals), sharing_backend<Backend>, Backend>;

}  // namespace kroton::runtime

namespace kroton {
using runtime::compiled_function;
using runtime::host_backend;
using runtime::seed;
}  // namespace kroton
