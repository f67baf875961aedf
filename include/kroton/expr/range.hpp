// Ranges of indices along an axis: `x[rows(0, n)]`, `x[cols(2, 5)]`, `x[range(axis<2>, 0, end, 2)]`.
#pragma once

#include <kroton/expr/typed_layer.hpp>

namespace kroton {

/// The end of an axis, as a bound.
inline constexpr struct end_tag {
} end{};

/// A bound of a range: an integer, a scalar integer argument of the function, or `end`; negative integers count from the end.
template <class B>
concept range_bound = std::integral<B> || std::is_same_v<B, end_tag> ||
                      (expression<B> && requires { requires B::rank == 0 && std::integral<typename B::element>; });

template <int Axis, range_bound First, range_bound Last>
struct index_range {
  static constexpr bool selects_elements = true;  // what may stand in brackets
  First first;
  Last last;
  std::int64_t step = 1;
  unsigned line = 0;  ///< of the user's source

  template <class X>
  constexpr auto of(const X& x) const {
    constexpr int axis = Axis < 0 ? Axis + X::rank : Axis;
    if constexpr (axis < 0 || axis >= X::rank) {
      reject<complaint::axis, ops::slice, typename X::expression, axis_list<Axis>>();
      return typed_layer::refused<typename X::expression>(x);
    } else {
      constexpr shape open = [] {
        shape s = shape_of_type<typename X::extents_type>;
        s[axis] = any_code;
        return s;
      }();
      const term t = x.untyped();
      extent_table& table = t.owner->extents;
      const extent_code extent = t.extents()[axis];
      const extent_code from = bound(*t.owner, first, extent), to = bound(*t.owner, last, extent);
      at_most(*t.owner, from, to);
      at_most(*t.owner, to, extent);
      if (step < 1) t.owner->report({.what = mistake::slice_bound, .line = line, .a = step});
      const extent_code count = table.ceil_divide(table.subtract(to, from), step < 1 ? 1 : step);
      return typed_layer::typed<typename X::element, open, X>(slice_term(t, {axis + 16 * step, from, 0}, count));
    }
  }

 private:
  constexpr void at_most(graph& g, extent_code a, extent_code b) const {
    g.extents.require({requirement::kind::at_most, a, b, "slice"});
    if (a >= 0 && b >= 0 && a > b) g.report({.what = mistake::slice_bound, .line = line, .a = a, .b = b});
  }
  static constexpr extent_code bound(graph&, end_tag, extent_code extent) { return extent; }
  constexpr extent_code bound(graph& g, std::integral auto index, extent_code extent) const {
    const auto i = static_cast<std::int64_t>(index);
    if (i >= 0) return i;
    at_most(g, -i, extent);
    return g.extents.subtract(extent, -i);
  }
  constexpr extent_code bound(graph& g, const expression auto& index, extent_code) const {
    const node& n = g.nodes[index.untyped().id];
    if (n.op->id != id_of<ops::input>) {
      g.report({.what = mistake::computed_bound, .line = line});
      return 0;
    }
    const extent_code value = g.extents.intern({extent_kind::scalar, n.attr.a, 0});
    g.extents.require({requirement::kind::at_most, 0, value, "slice"});
    return value;
  }
};

/// What refused ranges are.
struct refused_range {
  static constexpr bool selects_elements = true;
  template <class X>
  constexpr auto of(const X& x) const {
    return typed_layer::refused<typename X::expression>(x);
  }
};
/// Refused: `x[rows(0, 2), cols(1, 3)]` would be only the columns.
template <int A, class B, class C, int D, class E, class F>
constexpr auto operator,(const index_range<A, B, C>&, const index_range<D, E, F>&) {
  reject<complaint::index, index_range<A, B, C>, index_range<D, E, F>>();
  return refused_range();
}

/// Indices first, first + step, ... below last along an axis. Bounds outside the tensor are a `shape_error` at the call.
template <int Axis, range_bound First, range_bound Last>
constexpr index_range<Axis, First, Last> range(axis_list<Axis>, First first, Last last, std::int64_t step = 1,
                                               unsigned line = __builtin_LINE()) {
  return {first, last, step, line};
}
template <range_bound First, range_bound Last>
constexpr index_range<0, First, Last> rows(First first, Last last, unsigned line = __builtin_LINE()) {
  return {first, last, 1, line};
}
template <range_bound First, range_bound Last>
constexpr index_range<1, First, Last> cols(First first, Last last, unsigned line = __builtin_LINE()) {
  return {first, last, 1, line};
}

/// Refused, as are the next two. The others are preferred, because their arguments are not converted to `anything`.
template <class Range = refused_range>
constexpr auto range(anything, anything = 0, anything = 0, anything = 0) {
  reject<complaint::bounds, Range>();
  return Range();
}
template <class Range = refused_range>
constexpr auto rows(anything, anything = 0, anything = 0, anything = 0) {
  reject<complaint::bounds, Range>();
  return Range();
}
template <class Range = refused_range>
constexpr auto cols(anything, anything = 0, anything = 0, anything = 0) {
  reject<complaint::bounds, Range>();
  return Range();
}

}  // namespace kroton
