// This header has sessions, which own the memory of a model's shared variables and compile its functions.
#pragma once

#include <kroton/runtime/function.hpp>
#include <kroton/runtime/model_frame.hpp>
#include <kroton/runtime/new_elements.hpp>
#include <kroton/runtime/saving.hpp>

namespace kroton::runtime {

/// The values of a model's shared variables, in one context: `kt::session<digits> s; auto train =
/// s.compile<&digits::train>();`.
template <class Model>
class session {
  template <auto... Path>
  using element_at = typename reached_by<Model, Path...>::element;
  template <auto... Path>
  static constexpr bool has = reached_by<Model, Path...>::is_shared;

 public:
  explicit session(const context& where = context::best(), seed s = {}) : context_(where) {
    if constexpr (std::is_default_constructible_v<Model>)  // never runs; here, errors in members of the model have a
                                                           // short chain of instantiations
      if (false) {
        [[maybe_unused]] Model made;
      }
    if constexpr (!std::is_base_of_v<model, Model>) reject<complaint::no_model, Model>();
    else if constexpr (!constant_model<Model>) reject<complaint::construction, Model>();
    else if constexpr (!model_frame<Model>::has_sizes) reject<complaint::shared_extents, Model>();
    else within_memory([&] { allocate(s); });
  }

  /// Refuses other arguments.
  explicit session(anything, anything = 0) : context_(context::best()) { reject<complaint::session, Model>(); }
  /// The context of the session, `kt::home` in its functions.
  const context& where() const { return context_; }

  /// Compiles a function of the model. The compiled function is bound to the variables of this session and keeps them
  /// alive.
  template <auto Member, policy Wanted = policy::none, class Backend = KROTON_BACKEND>
  auto compile() {
    using function = member_function<Member>;
    constexpr complaint problem = session_problem<function>();
    if constexpr (problem != complaint::none) {
      if constexpr (problem == complaint::not_constant) cannot_evaluate<function>();
      else reject<problem, function, Model>();
      return refused_function<function>();
    } else {
      // the same code as in kt::function: a function that both call would add two lines to every error
      using found = diagnosis_of<captured<function>>;
      diagnosed<found::what>(typename found::details());
      if constexpr (!is_sound<function>) {
        return refused_function<function>();
      } else if constexpr (!has_kernels<captured<function>, Backend::kind>) {
        require_kernels<captured<function>, Backend::kind>();
        return refused_function<function>();
      } else {
        enforce<Wanted, captured<function>>();
        using backend = backend_with<Wanted, Backend>;
        evaluate_in_turn<typename prepared<captured<function>, backend>::type>();
        return within_memory([&] {
          if constexpr (draws<function>) variables()->require_random_state();
          return compiled_function<function, backend>(context_, variables(), math_of(Wanted));
        });
      }
    }
  }

  /// Refuses `session.compile(&net::predict)`: the member belongs in angle brackets.
  template <class Member>
  auto compile(Member) {
    reject<complaint::member_argument, Member>();
    return refused_function<signature_of<Member>>();
  }

  /// The elements of a shared variable, row-major: `session.values<&digits::W1>()`. A variable in a block is
  /// `session.values<&net::first, &layer::W>()`, and a variable in a stack `session.values<&net::layers, 2,
  /// &layer::W>()`. The elements can be read and written. Throws device_error if they lie on a device; see `get`.
  template <auto... Path>
  auto values() {
    using element = element_at<Path...>;
    if constexpr (!has<Path...>) {
      reject<complaint::not_shared, Model, decltype(Path)...>();
      return std::span<element>();
    } else {
      constexpr std::size_t i = model_frame<Model>::template position<Path...>;
      const auto& storage = variables();
      storage->require_on_host(i, "values");
      return std::span<element>(reinterpret_cast<element*>(storage->addresses[i]),
                                static_cast<std::size_t>(storage->elements(i)));
    }
  }
  /// A copy of the elements of a shared variable, on the host or on a device. `get` waits until the device has done all
  /// earlier work.
  template <auto... Path>
  auto get() const {
    using copy = tensor<element_at<Path...>, reached_by<Model, Path...>::rank>;
    if constexpr (!has<Path...>) {
      reject<complaint::not_shared, Model, decltype(Path)...>();
      return copy();
    } else {
      constexpr std::size_t i = model_frame<Model>::template position<Path...>;
      const auto& storage = variables();
      const std::shared_lock reading(storage->lock);
      typename copy::extents_array extents{};
      std::size_t axis = 0;
      for (std::int64_t& extent : extents) extent = storage->extents[i][axis++];
      return within_memory([&] {
        copy elements(extents, context_.lender());
        storage->read(i, reinterpret_cast<std::byte*>(elements.data()));
        return elements;
      });
    }
  }
  /// Gives a shared variable other elements: a tensor or a view with its extents, a contiguous range of all elements,
  /// row-major, or a number for a scalar: `session.set<&net::W>(w)`, `session.set<&net::rate>(0.1f)`. Throws
  /// shape_error if the extents or the number of elements differ, value_error for a number that the type does not hold.
  template <auto... Path, class X>
  void set(const X& elements) {
    using parameter = ranked_parameter<element_at<Path...>, reached_by<Model, Path...>::rank>;
    if constexpr (!has<Path...>) {
      reject<complaint::not_shared, Model, decltype(Path)...>();
    } else if constexpr (elements_problem<parameter, X>() != complaint::none) {
      reject<complaint::shared_elements, parameter, X>();
    } else {
      constexpr std::size_t i = model_frame<Model>::template position<Path...>;
      const auto given = within_memory([&] { return bind_elements<parameter>(elements, context_); });
      const new_elements wanted = elements_for(i, given);
      const auto& storage = variables();
      const std::unique_lock changing(storage->lock);
      storage->require("set", {wanted});
      storage->write(i, wanted.from);
    }
  }
  template <auto... Path>
  void set(std::initializer_list<element_at<Path...>> elements) {
    set<Path...>(std::span<const element_at<Path...>>(elements.begin(), elements.size()));
  }
  /// Refuses `session.set(&net::W, w)`: the member belongs in angle brackets.
  template <class Member, class X>
  void set(Member, const X&) {
    reject<complaint::member_argument, Member>();
  }
  /// The extents of a shared variable, which is named as for `values`.
  template <auto... Path>
  std::vector<std::int64_t> extents() const {
    if constexpr (!has<Path...>) {
      reject<complaint::not_shared, Model, decltype(Path)...>();
      return {};
    } else {
      const auto& storage = variables();
      const std::shared_lock reading(storage->lock);
      return within_memory([&] { return storage->extents[model_frame<Model>::template position<Path...>]; });
    }
  }

  /// The names, element types and extents of all shared variables, states and what optimisers keep included, in order
  /// of declaration: `for (const kt::variable_info& v : session.names())`.
  std::vector<variable_info> names() const {
    return within_memory([&] { return variables()->info(); });
  }

  /// Gives named dimensions of the shared variables other extents: `session.resize(batch(64))`. The extents are 0 at
  /// first. Elements at indices that exist before and after keep their values; new elements have initial values. A
  /// borrowed variable whose extents change moves to memory of the session. Throws shape_error for a negative extent,
  /// and memory_error if the old and the new elements do not fit at the same time; both before anything changes.
  template <class... Tag>
  void resize(extent_value_of<Tag>... given) {
    constexpr bool known = ((model_frame<Model>::template symbol_of<Tag> >= 0) && ...);
    if constexpr (!known) {
      reject<complaint::shared_dimension, Model, Tag...>();
    } else if constexpr (!are_different({code_of<Tag>...})) {
      reject<complaint::dimension_twice, Tag...>();
    } else {
      const auto& storage = variables();
      const std::unique_lock changing(storage->lock);
      within_memory([&] {
        std::vector<std::int64_t> wanted = storage->dimensions;
        ((wanted[model_frame<Model>::template symbol_of<Tag>] = given.value), ...);
        for (std::int64_t extent : wanted) require_extent("resize", extent);
        try {
          storage->resize(wanted);
        } catch (const memory_error& refused) {
          std::string fitting;
          (add_fitting<Tag>(fitting, wanted), ...);
          throw memory_error(message(refused.what(), fitting));
        }
      });
    }
  }

  /// Refuses an extent without its dimension.
  void resize(std::int64_t) { reject<complaint::dimension_twice, Model>(); }

  /// A session with variables of its own, which have the values of this session now, random state and optimisers
  /// included: `auto best = session.copy();`. (A copy by `=` shares the variables.) The copy can have other values of
  /// some variables: `session.copy(kt::with<&net::W>(w), kt::with<&net::b>(other))`. Throws memory_error if they do not
  /// fit, shape_error or value_error for values that do not fit their variables.
  template <class... With>
  session copy(const With&... other) const {
    constexpr complaint problem = replacement_problem<Model, With...>();
    if constexpr (problem != complaint::none) {
      reject<problem, Model, With...>();
      return *this;
    } else {
      return within_memory([&] {
        return session(context_,
                       variables()->copy({elements_for(
                           replacement<Model, With>::position,
                           bind_elements<typename replacement<Model, With>::parameter>(other.elements, context_))...}));
      });
    }
  }

  /// Writes all shared variables, states and what optimisers keep included, to a file in the format safetensors:
  /// `session.save("model.safetensors")`, with `#include <kroton/io.hpp>`. The file is written beside the one that has
  /// the name, or to which a link of that name leads, and takes its place and its permissions when it is complete.
  /// Calls that change variables wait meanwhile. Throws io_error, also for a name of what is no regular file.
  template <class Format = io::safetensors>
  void save(const std::string& path) const {
    if constexpr (requires { sizeof(Format); }) within_memory([&] { Format::save(*variables(), path); });
    else reject<complaint::saving, Model>();
  }
  /// Reads all shared variables from a file in the format safetensors, of this or another program:
  /// `session.load("model.safetensors")`, with `#include <kroton/io.hpp>`. Names, element types and extents must be
  /// those of the session, as far as the options do not allow others. Throws io_error, which names every difference, or
  /// the position of what is malformed; the variables have their old values then.
  template <class Format = io::safetensors>
  void load(const std::string& path, const load_options& options = {}) {
    if constexpr (requires { sizeof(Format); }) within_memory([&] { Format::load(*variables(), path, options); });
    else reject<complaint::saving, Model>();
  }

  /// Begins the random numbers of a seed: later calls draw the numbers that they would draw in a new session with this
  /// seed, `session.reseed(kt::seed{7})`.
  void reseed(seed s) { variables()->reseed(s.value); }

  /// Puts a shared variable into memory of the caller, without a copy: the numbers in that memory are its values from
  /// now on. The memory must live as long as the session uses it. It must not overlap another shared variable, nor an
  /// argument of a function that changes this variable. Throws shape_error if the number of elements differs, and
  /// device_error if the variable lies on a device.
  template <auto... Path>
  void borrow(std::span<element_at<Path...>> elements) {
    if constexpr (!has<Path...>) reject<complaint::not_shared, Model, decltype(Path)...>();
    else {
      const auto& storage = variables();
      const std::unique_lock changing(storage->lock);
      storage->borrow(model_frame<Model>::template position<Path...>, reinterpret_cast<std::byte*>(elements.data()),
                      std::ssize(elements));
    }
  }

 private:
  session(const context& where, std::shared_ptr<shared_storage> storage)
      : context_(where), storage_(std::move(storage)) {}

  context context_;
  std::shared_ptr<shared_storage> storage_;  // shared with the functions of the session, and with copies of the session

  const std::shared_ptr<shared_storage>& variables() const {
    if (storage_ == nullptr) refuse_moved("session");
    return storage_;
  }
  void allocate(seed s) {
    constexpr const auto& frame = model_frame<Model>::value;
    constexpr graph_size size = model_frame<Model>::size;
    storage_ =
        std::make_shared<shared_storage>(list_view(frame.shared, size.shared), frame.shapes, frame.blocks,
                                         contexts_of(frame.places, first_named_place + size.places, context_), s.value);
    storage_->resize(std::vector<std::int64_t>(size.symbols));
  }

  static constexpr bool are_different(std::initializer_list<std::int64_t> codes) {
    for (const std::int64_t code : codes)
      if (std::count(codes.begin(), codes.end(), code) != 1) return false;
    return true;
  }
  /// Adds to a message the largest extent of one dimension that would fit, with the other dimensions as they are.
  template <class Tag>
  void add_fitting(std::string& text, const std::vector<std::int64_t>& wanted) const {
    const std::int64_t largest =
        storage_->largest_extent(wanted, static_cast<std::size_t>(model_frame<Model>::template symbol_of<Tag>));
    if (largest > 0) text += message("; ", name_of_dim<Tag>.text, " up to ", largest, " would fit");
  }

  template <class Function>
  static constexpr complaint session_problem() {
    if constexpr (!std::is_base_of_v<model, Model> || !constant_model<Model>) return complaint::said;
    else if (Function::problem == complaint::none && !std::is_base_of_v<typename Function::model_type, Model>)
      return complaint::model;
    else return function_problem<Function>;
  }
};

}  // namespace kroton::runtime

namespace kroton {
using runtime::session;
using runtime::variable_info;
}  // namespace kroton
