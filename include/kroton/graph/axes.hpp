// This header names axes and ranges of indices as users write them: `kt::axis<0, 2>`, `kt::keep_dims`, `kt::end`.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace kroton {

namespace graph {
template <int... Axes>
struct axis_list {};
}  // namespace graph

/// `axis<0>`, `axis<0, 2>`; negative axes count from the last.
template <int... Axes>
inline constexpr graph::axis_list<Axes...> axis{};

namespace graph {
struct keep_dims_tag {};
}  // namespace graph
/// Reduced axes stay, with extent 1: `kt::sum(x, kt::axis<1>, kt::keep_dims)`.
inline constexpr graph::keep_dims_tag keep_dims{};

namespace graph {
template <class X>
concept keep_option = std::is_same_v<X, keep_dims_tag>;

template <class X>
inline constexpr bool is_axes = false;
template <int... Axes>
inline constexpr bool is_axes<axis_list<Axes...>> = true;

/// Takes any argument, where no other function does.
struct anything {
  template <class X>
  constexpr anything(const X&) {}
};
/// The type that an argument in braces gets.
using in_braces = std::initializer_list<anything>;

// The results of `axis_mask` for wrong axes.
inline constexpr std::int64_t no_such_axis = -1, repeated_axis = -2;

/// The axes as a bit mask; `no_such_axis` when one is outside [-rank, rank), `repeated_axis` when two are the same.
template <int... Axes>
constexpr std::int64_t axis_mask(axis_list<Axes...>, int rank) {
  std::int64_t mask = 0;
  bool valid = true, repeated = false;
  [[maybe_unused]] const auto add = [&](int axis) {
    const std::int64_t bit = std::int64_t{1} << ((axis < 0 ? axis + rank : axis) & 31);
    valid = valid && axis >= -rank && axis < rank;
    repeated = repeated || (mask & bit) != 0;
    mask |= bit;
  };
  (add(Axes), ...);
  if (!valid) return no_such_axis;
  return repeated ? repeated_axis : mask;
}

constexpr std::int64_t all_axes(int rank) { return (std::int64_t{1} << rank) - 1; }
}  // namespace graph

}  // namespace kroton
