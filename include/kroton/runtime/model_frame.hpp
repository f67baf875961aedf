// This header finds the shared variables of a model while the program compiles, and paths to them through its blocks.
#pragma once

#include <kroton/expr/model.hpp>
#include <kroton/graph/frozen.hpp>

namespace kroton::runtime {

/// The result of a path that leads nowhere.
struct no_member {};
inline constexpr no_member nowhere;

/// The member that `Path`, a list of member pointers and positions in stacks, leads to from a model:
/// `at_path<&net::blocks, 2, &block::W>(net)`.
template <class From>
constexpr const From& at_path(const From& from) {
  return from;
}
template <auto Step, auto... Rest, class From>
constexpr const auto& at_path(const From& from) {
  if constexpr (std::is_integral_v<decltype(Step)>) {
    if constexpr (requires { requires Step >= 0 && Step < From::size(); }) return at_path<Rest...>(from[Step]);
    else return nowhere;
  } else if constexpr (requires { from.*Step; }) {
    return at_path<Rest...>(from.*Step);
  } else {
    return nowhere;
  }
}

/// The element type of the shared variable at the end of a path, or `double` if the path leads elsewhere. It is not in
/// model_frame, because only models have a model_frame.
template <class Member>
struct reached {
  static constexpr bool is_shared = false;
  using element = double;
  static constexpr int rank = 0;
};
template <class T, class E>
struct reached<shared_variable<T, E>> {
  static constexpr bool is_shared = true;
  using element = T;
  static constexpr int rank = shared_variable<T, E>::rank;
};
template <class T, class E>
struct reached<state_variable<T, E>> : reached<shared_variable<T, E>> {};
template <class Model, auto... Path>
using reached_by = reached<std::remove_cvref_t<decltype(at_path<Path...>(std::declval<const Model&>()))>>;

/// The shared variables of a model, as constants.
template <class Model>
struct model_frame {
  static constexpr graph_size size = [] {
    Model m;
    return size_of(m.captured());
  }();
  struct frame {
    plain_array<variable, size.shared + 1> shared = {};
    plain_array<shape, size.shapes + 1> shapes = {};
    plain_array<extent_symbol, size.symbols + 1> symbols = {};
    plain_array<const place_name*, size.places + 1> places = {};
    plain_array<block_name, size.blocks + 1> blocks = {};
  };
  static constexpr frame value = [] {
    Model m;
    frame f;
    for (int i = 0; i < size.shared; ++i) f.shared[i] = m.captured().shared[i];
    for (int i = 0; i < size.shapes; ++i) f.shapes[i] = m.captured().shapes[i];
    for (int i = 0; i < size.symbols; ++i) f.symbols[i] = m.captured().extents.symbols[i];
    for (int i = 0; i < size.places; ++i) f.places[i] = m.captured().places[i];
    for (int i = 0; i < size.blocks; ++i) f.blocks[i] = m.captured().blocks[i];
    return f;
  }();
  /// Whether the extents of all shared variables are numbers or named dimensions.
  static constexpr bool has_sizes = [] {
    for (int i = 0; i < size.shared; ++i) {
      const shape& s = value.shapes[value.shared[i].shape];
      for (int axis = 0; axis < s.rank; ++axis)
        if (s[axis] < 0 && value.symbols[-1 - s[axis]].kind != extent_kind::named) return false;
    }
    return true;
  }();
  /// The position of a named dimension among the symbols; -1 if no shared variable has the dimension.
  template <class Tag>
  static constexpr int symbol_of = [] {
    for (int i = 0; i < size.symbols; ++i)
      if (value.symbols[i].kind == extent_kind::named && value.symbols[i].a == code_of<Tag>) return i;
    return -1;
  }();
  /// The position, among all shared variables, of the variable to which a path leads.
  template <auto... Path>
  static constexpr std::size_t position = [] {
    Model m;
    return static_cast<std::size_t>(variable_form::of(at_path<Path...>(m).untyped().get().attr).position);
  }();
};

}  // namespace kroton::runtime
