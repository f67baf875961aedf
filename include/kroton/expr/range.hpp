// This header has ranges of indices along an axis: `x[rows(0, n)]`, `x[cols(2, 5)]`, `x[range(axis<2>, 0, end, 2)]`,
// and ranges whose extent is a number, as their bounds are in their types: `x[cols<2, 5>()]`, `x[range<0, end,
// 2>(axis<2>)]`.
#pragma once

#include <kroton/expr/typed_layer.hpp>

namespace kroton {

namespace typed {
struct end_tag {};
}  // namespace typed
/// The end of an axis, as a bound: `x[kt::rows(-10, kt::end)]`.
inline constexpr typed::end_tag end{};

namespace typed {

/// A bound of a range: an integer, a scalar integer argument of the function, or `end`; negative integers count from
/// the end.
template <class B>
concept range_bound = std::integral<B> || std::is_same_v<B, end_tag> ||
    (requires { requires expression<B> && B::rank == 0 && std::integral<typename B::element>; });
template <class... B>
concept all_range_bounds = (range_bound<std::remove_cvref_t<B>> && ...);

/// The extent that is the value of a scalar argument; another expression is a mistake in `line`.
constexpr extent_code extent_of_argument(graph& g, term t, unsigned line) {
  const node& n = t.get();
  if (n.op->kind == op_kind::extent) return extent_form::of(n.attr).extent;
  if (n.op->id != id_of<ops::input>) {
    g.report({.what = mistake::computed_bound, .line = line});
    return 0;
  }
  const extent_code value = g.extents.intern({extent_kind::scalar, variable_form::of(n.attr).position, 0});
  g.extents.require({requirement::kind::at_most, 0, value, "slice"});
  return value;
}

/// The elements of `x` at the positions `index` along an axis.
constexpr term taken_along(term x, int axis, term index) {
  std::int64_t order = axis;  // that axis first
  for (int i = 0, other = 0; i < x.rank(); ++i)
    if (i != axis) order |= static_cast<std::int64_t>(i) << (4 * ++other);
  return transpose_term(take_term(transpose_term(x, order), index), inverse_permutation(order, x.rank()));
}

template <int Axis, range_bound First, range_bound Last>
struct index_range {
  static constexpr bool selects_elements = true;  // what may stand in brackets
  First first;
  Last last;
  std::int64_t step = 1;
  unsigned line = 0;  ///< of the user's source

  /// The elements of `x`; their extent has the code `Count`, by default one that is not known before the call.
  template <extent_code Count = any_code, class X>
  constexpr auto of(const X& x) const {
    constexpr int axis = Axis < 0 ? Axis + X::rank : Axis;
    if constexpr (axis < 0 || axis >= X::rank) {
      reject<complaint::axis, ops::slice, typename X::expression, axis_list<Axis>>();
      return typed_layer::refused<typename X::expression>(x);
    } else {
      constexpr shape result = [] {
        shape s = shape_of_type<typename X::extents_type>;
        s[axis] = Count;
        return s;
      }();
      const term t = x.untyped();
      extent_table& table = t.owner->extents;
      const extent_code extent = t.extents()[axis];
      const extent_code from = bound(*t.owner, first, extent), to = bound(*t.owner, last, extent);
      at_most(*t.owner, from, to);
      at_most(*t.owner, to, extent);
      if (step == 0) t.owner->report({.what = mistake::slice_bound, .line = line, .a = step});
      const std::int64_t distance = step < 0 ? -step : step == 0 ? 1 : step;
      const extent_code count = Count >= 0 ? Count : table.ceil_divide(table.subtract(to, from), distance);
      if (step < 0) return typed_layer::typed<typename X::element, result, X>(backwards(t, axis, to, count, distance));
      return typed_layer::typed<typename X::element, result, X>(slice_term(t, {axis, distance, from}, count));
    }
  }

 private:
  constexpr void at_most(graph& g, extent_code a, extent_code b) const {
    g.extents.require({requirement::kind::at_most, a, b, "slice"});
    if (a >= 0 && b >= 0 && a > b) g.report({.what = mistake::slice_bound, .line = line, .a = a, .b = b});
  }
  /// The `count` elements before `to` along an axis, from the last one on. They are looked up: strides of views are
  /// positive.
  static constexpr term backwards(term x, int axis, extent_code to, extent_code count, std::int64_t distance) {
    graph& g = *x.owner;
    return taken_along(x, axis, extent_value(g, dtype::int64, to) - 1 - iota(g, dtype::int64, count) * distance);
  }
  static constexpr extent_code bound(graph&, end_tag, extent_code extent) { return extent; }
  constexpr extent_code bound(graph& g, std::integral auto index, extent_code extent) const {
    const auto i = static_cast<std::int64_t>(index);
    if (i >= 0) return i;
    at_most(g, -i, extent);
    return g.extents.subtract(extent, -i);
  }
  constexpr extent_code bound(graph& g, const expression auto& index, extent_code) const {
    return extent_of_argument(g, typed_layer::term_in(g, index), line);
  }
};

/// The type of refused ranges.
struct refused_range {
  static constexpr bool selects_elements = true;
  template <class X>
  constexpr auto of(const X& x) const {
    return typed_layer::refused<typename X::expression>(x);
  }
};
template <auto... Bounds>
struct range_bounds {};  // what `reject` names
template <class R>
concept element_range = requires {
  R::selects_elements;
};
}  // namespace typed

namespace typed {
/// Refused: `x[rows(0, 2), cols(1, 3)]` would be only the columns.
template <element_range A, element_range B>
constexpr auto operator,(const A&, const B&) {
  reject<complaint::index, A, B>();
  return refused_range();
}
}  // namespace typed

/// Indices first, first + step, ... below last along an axis; with a negative step from last - 1 down to first, so that
/// `x[range(axis<0>, 0, end, -1)]` is `x` in reverse order (a copy, not a view). Bounds outside the tensor are a
/// `shape_error` at the call.
template <int Axis, typed::range_bound First, typed::range_bound Last>
constexpr typed::index_range<Axis, First, Last> range(graph::axis_list<Axis>, First first, Last last,
                                                      std::int64_t step = 1, unsigned line = __builtin_LINE()) {
  return {first, last, step, line};
}
/// The rows first, ..., last - 1, as a range of axis 0: `x[kt::rows(0, 2)]`.
template <typed::range_bound First, typed::range_bound Last>
constexpr typed::index_range<0, First, Last> rows(First first, Last last, unsigned line = __builtin_LINE()) {
  return {first, last, 1, line};
}
/// The columns first, ..., last - 1, as a range of axis 1: `x[kt::cols(2, 5)]`.
template <typed::range_bound First, typed::range_bound Last>
constexpr typed::index_range<1, First, Last> cols(First first, Last last, unsigned line = __builtin_LINE()) {
  return {first, last, 1, line};
}

namespace typed {
/// A range of a number of indices: both bounds count from the same end of the axis, or the extent of the axis is a
/// number, or the range is the whole axis.
template <int Axis, auto First, auto Last, std::integral auto Step = 1>
  requires all_range_bounds<decltype(First), decltype(Last)>
struct fixed_range {
  static constexpr bool selects_elements = true;
  unsigned line = 0;

  template <class X>
  constexpr auto of(const X& x) const {
    constexpr shape s = shape_of_type<typename X::extents_type>;
    constexpr int axis = Axis < 0 ? Axis + X::rank : Axis;
    constexpr bool is_axis = axis >= 0 && axis < X::rank;
    constexpr selection chosen = is_axis ? select(s[is_axis ? axis : 0]) : selection{complaint::axis};
    if constexpr (chosen.problem == complaint::none) {
      return range(kroton::axis<Axis>, First, Last, Step, line).template of<chosen.count>(x);
    } else {
      reject<chosen.problem, ops::slice, typename X::expression, fixed_range>();
      return typed_layer::refused<typename X::expression>(x);
    }
  }

 private:
  struct selection {
    complaint problem = complaint::none;
    extent_code count = any_code;
  };
  struct position {
    bool from_end = false;
    std::int64_t index = 0;
  };
  static constexpr position position_of(end_tag) { return {true, 0}; }
  static constexpr position position_of(std::int64_t index) { return {index < 0, index}; }

  static constexpr selection select(extent_code extent) {
    position first = position_of(First), last = position_of(Last);
    if (extent >= 0)
      for (position* p : {&first, &last})
        if (p->from_end) *p = {false, p->index + extent};
    if (first.from_end != last.from_end) {
      const bool whole = !first.from_end && first.index == 0 && last.index == 0 && Step == 1;
      return whole ? selection{complaint::none, extent} : selection{complaint::open_range};
    }
    const bool inside = first.index <= last.index && (extent < 0 || (first.index >= 0 && last.index <= extent));
    const std::int64_t step = Step < 0 ? -Step : Step == 0 ? 1 : Step, distance = inside ? last.index - first.index : 0;
    return {inside && Step != 0 ? complaint::none : complaint::outside, (distance + step - 1) / step};
  }
};

template <int Axis, auto... Bounds>
constexpr auto make_fixed_range(unsigned line) {
  if constexpr (requires { fixed_range<Axis, Bounds...>(); }) {
    return fixed_range<Axis, Bounds...>{line};
  } else {
    reject<complaint::bounds, range_bounds<Bounds...>>();
    return refused_range();
  }
}
}  // namespace typed

/// `range<0, 4>(axis<2>)`, `range<0, end, 2>(axis<2>)`: as `range(axis<2>, 0, 4)`, but the extent of the elements is a
/// number, and so is checked while the program compiles.
template <auto First, auto... Rest, int Axis>
constexpr auto range(graph::axis_list<Axis>, unsigned line = __builtin_LINE()) {
  return typed::make_fixed_range<Axis, First, Rest...>(line);
}
template <auto First, auto... Rest>
constexpr auto rows(unsigned line = __builtin_LINE()) {
  return typed::make_fixed_range<0, First, Rest...>(line);
}
template <auto First, auto... Rest>
constexpr auto cols(unsigned line = __builtin_LINE()) {
  return typed::make_fixed_range<1, First, Rest...>(line);
}
/// Refused: no axis.
template <auto First, auto... Rest>
constexpr auto range() {
  typed::reject<typed::complaint::bounds, typed::range_bounds<First, Rest...>>();
  return typed::refused_range();
}

/// Refused, as are the next two. The others are preferred, because their arguments are not converted to `anything`.
template <class Range = typed::refused_range>
constexpr auto range(graph::anything, graph::anything = 0, graph::anything = 0, graph::anything = 0) {
  typed::reject<typed::complaint::bounds, Range>();
  return Range();
}
template <class Range = typed::refused_range>
constexpr auto rows(graph::anything, graph::anything = 0, graph::anything = 0, graph::anything = 0) {
  typed::reject<typed::complaint::bounds, Range>();
  return Range();
}
template <class Range = typed::refused_range>
constexpr auto cols(graph::anything, graph::anything = 0, graph::anything = 0, graph::anything = 0) {
  typed::reject<typed::complaint::bounds, Range>();
  return Range();
}

}  // namespace kroton
