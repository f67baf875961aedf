// Sessions: the storage of a model's shared variables, and its compiled functions.
#pragma once

#include <kroton/runtime/function.hpp>

#include <random>
#include <string_view>

namespace kroton {

/// Seed of the initial values.
struct seed {
  std::uint64_t value = 0;
};

/// The shared variables of a model, as constants.
template <class Model>
struct model_frame {
  static constexpr graph_size size = [] {
    Model m;
    return size_of(m.captured());
  }();
  struct frame {
    variable shared[size.shared + 1] = {};
    shape shapes[size.shapes + 1] = {};
    place_name places[size.places + 1] = {};
  };
  static constexpr frame value = [] {
    Model m;
    frame f;
    for (int i = 0; i < size.shared; ++i) f.shared[i] = m.captured().shared[i];
    for (int i = 0; i < size.shapes; ++i) f.shapes[i] = m.captured().shapes[i];
    for (int i = 0; i < size.places; ++i) f.places[i] = m.captured().places[i];
    return f;
  }();
  /// Whether the extents of all shared variables are numbers.
  static constexpr bool has_numbers = [] {
    for (int i = 0; i < size.shared; ++i)
      for (int axis = 0; axis < value.shapes[value.shared[i].shape].rank; ++axis)
        if (value.shapes[value.shared[i].shape][axis] < 0) return false;
    return true;
  }();
  /// The position of a shared variable among all, from its member pointer.
  template <auto Member>
  static constexpr int position = [] {
    Model m;
    return static_cast<int>((m.*Member).untyped().get().attr.a);
  }();
};

/// The type of the shared variable that a member pointer leads to in `Model`; void when it leads to anything else.
template <class Pointer, class Model>
struct pointed_shared {
  using type = void;
};
template <class T, class E, class M, class Model>
  requires std::is_base_of_v<M, Model>
struct pointed_shared<shared_variable<T, E> M::*, Model> {
  using type = shared_variable<T, E>;
};
template <class Pointer, class Model>
using shared_member = typename pointed_shared<Pointer, Model>::type;

/// Fills `values` as `how` says; `fan_in` and `fan_out` are the last two extents.
template <class T>
void initialise(std::span<T> values, const initializer& how, std::int64_t fan_in, std::int64_t fan_out, std::uint64_t stream) {
  using kind = initializer::kind;
  std::mt19937_64 bits(stream);
  const auto uniform = [&] { return static_cast<double>(bits() >> 11) * 0x1.0p-53; };
  const auto normal = [&] { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform()); };
  const double fan = static_cast<double>(how.what == kind::he_uniform || how.what == kind::he_normal ? fan_in : fan_in + fan_out);
  const double deviation = std::sqrt(2.0 / (fan > 0 ? fan : 1));
  for (T& x : values) switch (how.what) {
      case kind::constant: x = static_cast<T>(how.a); break;
      case kind::uniform: x = static_cast<T>(how.a + (how.b - how.a) * uniform()); break;
      case kind::normal: x = static_cast<T>(how.a + how.b * normal()); break;
      case kind::glorot_uniform:
      case kind::he_uniform: x = static_cast<T>(std::sqrt(3.0) * deviation * (2 * uniform() - 1)); break;
      default: x = static_cast<T>(deviation * normal());
    }
}

template <class Model>
class session {
 public:
  explicit session(const context& where = context::best(), seed s = {}) : context_(where) {
    if constexpr (!std::is_base_of_v<model, Model>) reject<complaint::no_model, Model>();
    else if constexpr (!constant_model<Model>) reject<complaint::construction, Model>();
    else if constexpr (!model_frame<Model>::has_numbers) reject<complaint::shared_extents, Model>();
    else allocate(s);
  }

  /// Refused: other arguments.
  explicit session(anything, anything = 0) : context_(context::best()) { reject<complaint::session, Model>(); }

  /// A function of the model, bound to this session's variables; the session must outlive it.
  template <auto Member, policy Wanted = policy::none>
  auto compile() {
    using function = member_function<Member>;
    constexpr complaint problem = session_problem<function>();
    if constexpr (problem != complaint::none) {
      if constexpr (problem == complaint::not_constant) cannot_evaluate<function>();
      else reject<problem, function, Model>();
      return refused_function<function>();
    } else {
      using found = diagnosis_of<captured<function>>;
      diagnosed<found::what>(typename found::details());
      if constexpr (is_sound<function>) {
        enforce<Wanted, captured<function>>();
        return compiled_function<function>(context_, &storage_);
      } else {
        return refused_function<function>();
      }
    }
  }

  /// The elements of a shared variable, row-major: `session.values<&digits::W1>()`. They can be read and written.
  template <auto Member>
  auto values() {
    using V = shared_member<decltype(Member), Model>;
    if constexpr (std::is_void_v<V>) {
      reject<complaint::not_shared, decltype(Member), Model>();
      return std::span<double>();
    } else {
      constexpr int at = model_frame<Model>::template position<Member>;
      std::int64_t n = 1;
      for (std::int64_t e : storage_.extents[static_cast<std::size_t>(at)]) n *= e;
      return std::span<typename V::element>(reinterpret_cast<typename V::element*>(storage_.addresses[static_cast<std::size_t>(at)]), static_cast<std::size_t>(n));
    }
  }

 private:
  void allocate(seed s) {
    constexpr const auto& frame = model_frame<Model>::value;
    constexpr int count = model_frame<Model>::size.shared;
    const std::vector<context> places = contexts_of(frame.places, first_named_place + model_frame<Model>::size.places, context_);
    for (int i = 0; i < count; ++i) {
      const variable& v = frame.shared[i];
      const shape& extents = frame.shapes[v.shape];
      std::vector<std::int64_t> e;
      std::int64_t elements = 1;
      for (int axis = 0; axis < extents.rank; ++axis) {
        e.push_back(extents[axis]);
        elements *= extents[axis];
      }
      storage_.extents.push_back(e);
      buffers_.emplace_back(places[static_cast<std::size_t>(v.place)].account(), elements * size_of(v.type));
      storage_.addresses.push_back(buffers_.back().data());
      const std::uint64_t stream = s.value * 0x9e3779b97f4a7c15u + hash_text(v.name) + static_cast<std::uint64_t>(v.parent + 1) * 1000003u;
      with_element(v.type, [&]<class T>() {
        initialise(std::span<T>(reinterpret_cast<T*>(buffers_.back().data()), static_cast<std::size_t>(elements)), v.initial,
                   extents.rank > 1 ? extents[extents.rank - 2] : elements, extents.rank > 0 ? extents[extents.rank - 1] : 1, stream);
      });
    }
  }

  template <class Function>
  static constexpr complaint session_problem() {
    if constexpr (!std::is_base_of_v<model, Model> || !constant_model<Model>) return complaint::said;
    else if (Function::problem == complaint::none && !std::is_base_of_v<typename Function::model_type, Model>) return complaint::model;
    else return function_problem<Function>;
  }

  context context_;
  std::vector<context_block> buffers_;
  shared_storage storage_;
};

}  // namespace kroton
