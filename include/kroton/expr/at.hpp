// This header selects elements by position, axis after axis: `x[2]`, `x[kt::at(i, j)]`, `x[kt::at(kt::all, t,
// kt::slice(0, 5), kt::newaxis)]`. C++20 reads `x[i, j]` as `x[j]`, of which compilers warn; so several positions stand
// in `kt::at`.
#pragma once

#include <kroton/expr/range.hpp>

namespace kroton {

namespace typed {
struct newaxis_tag {};
}  // namespace typed
/// A new axis of extent 1: `x[kt::at(kt::all, kt::newaxis)]`.
inline constexpr typed::newaxis_tag newaxis{};

namespace typed {
/// Indices of one axis in `kt::at`.
template <range_bound First, range_bound Last>
struct axis_slice {
  First first;
  Last last;
  std::int64_t step;
};
}  // namespace typed

/// `slice(first, last, step)`: the indices first, first + step, ... below last, of the axis at its place in `kt::at`.
/// With a negative step they come in reverse order: `x[kt::at(kt::slice(0, kt::end, -1))]`.
template <typed::range_bound First, typed::range_bound Last>
constexpr typed::axis_slice<First, Last> slice(First first, Last last, std::int64_t step = 1) {
  return {first, last, step};
}

namespace typed {
template <class Item>
inline constexpr bool is_slice = false;
template <class First, class Last>
inline constexpr bool is_slice<axis_slice<First, Last>> = true;
/// An item of `kt::at`.
template <class Item>
concept at_item =
    is_position<Item> || is_slice<Item> || std::is_same_v<Item, all_elements> || std::is_same_v<Item, newaxis_tag>;

template <class... Item>
struct element_selection {
  static constexpr bool selects_elements = true;
  std::tuple<Item...> items;
  unsigned line = 0;

  template <class X>
  constexpr auto of(const X& x) const {
    constexpr int axes = ((std::is_same_v<Item, newaxis_tag> ? 0 : 1) + ... + 0);
    if constexpr (axes > X::rank) {
      reject<complaint::position, typename X::expression, Item...>();
      return refused_like(x);
    } else {
      return from<0, 0>(static_cast<const typename X::expression&>(x));
    }
  }

 private:
  /// The items from `I` on select of axes from `Axis` on.
  template <int Axis, std::size_t I, class X>
  constexpr auto from(const X& x) const {
    if constexpr (I == sizeof...(Item)) {
      return x;
    } else {
      using item = std::tuple_element_t<I, std::tuple<Item...>>;
      const item& here = std::get<I>(items);
      if constexpr (std::is_same_v<item, all_elements>) return from<Axis + 1, I + 1>(x);
      else if constexpr (std::is_same_v<item, newaxis_tag>)
        return from<Axis + 1, I + 1>(typed_layer::with_axis<Axis>(x));
      else if constexpr (is_slice<item>)
        return from<Axis + 1, I + 1>(range(kroton::axis<Axis>, here.first, here.last, here.step, line).of(x));
      else if constexpr (std::integral<item>) return from<Axis, I + 1>(without<Axis>(one<Axis>(x, here)));
      else return from<Axis, I + 1>(take(in_front<Axis>(x, std::make_integer_sequence<int, X::rank - 1>()), here));
    }
  }
  /// The range of one index.
  template <int Axis, class X>
  constexpr auto one(const X& x, std::integral auto index) const {
    const auto i = static_cast<std::int64_t>(index);
    const index_range<Axis, std::int64_t, end_tag> last{-1, end, 1, line};
    const index_range<Axis, std::int64_t, std::int64_t> inner{i, i + 1, 1, line};
    return i == -1 ? last.template of<1>(x) : inner.template of<1>(x);
  }
  template <int Axis, class X>
  static constexpr auto without(const X& x) {
    constexpr std::int64_t mask = std::int64_t{1} << Axis;
    constexpr shape s = reduced(shape_of_type<typename X::extents_type>, mask);
    const term t = x.untyped();
    return typed_layer::typed<typename X::element, s, X>(reshape_term(t, reduced(t.extents(), mask)));
  }
  /// With `Axis` before the other axes.
  template <int Axis, class X, int... Other>
  static constexpr auto in_front(const X& x, std::integer_sequence<int, Other...>) {
    if constexpr (Axis == 0) return x;
    else return permute<Axis, (Other < Axis ? Other : Other + 1)...>(x);
  }
};
}  // namespace typed

/// Positions and indices, one for each axis from the first on: `x[kt::at(kt::all, t)]` is column t of a matrix. An
/// integer drops its axis; `kt::all` is all of an axis, as for axes that are not named. A position outside the tensor
/// is a compile error where the extent is a number, else a `shape_error` (of expressions an `index_error`) at the call.
template <class... Item>
constexpr auto at(const Item&... item) {
  if constexpr ((typed::at_item<Item> && ...)) {
    return typed::element_selection<Item...>{{item...}};
  } else {
    typed::reject<typed::complaint::position, Item...>();
    return typed::refused_range();
  }
}

namespace typed {
/// `x[i]`.
template <class X, class I>
constexpr auto element_at(const X& x, const I& index) {
  return at(index).of(x);
}
}  // namespace typed

}  // namespace kroton
