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
  First first;
  Last last;
  std::int64_t step = 1;

  template <class X>
  constexpr auto of(const X& x) const {
    constexpr int axis = Axis < 0 ? Axis + X::rank : Axis;
    if constexpr (axis < 0 || axis >= X::rank) {
      reject<complaint::axis, ops::slice, typename X::expression, axis_list<Axis>>();
      return typename X::expression();
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
      table.require({requirement::kind::at_most, from, to, "slice"});
      table.require({requirement::kind::at_most, to, extent, "slice"});
      if (step < 1) t.owner->report(mistake::slice_bound);
      const extent_code count = table.ceil_divide(table.subtract(to, from), step < 1 ? 1 : step);
      return typed_layer::typed<typename X::element, open, X>(slice_term(t, {axis + 16 * step, from, 0}, count));
    }
  }

 private:
  static constexpr extent_code bound(graph& g, end_tag, extent_code extent) { return (void)g, extent; }
  static constexpr extent_code bound(graph& g, std::integral auto index, extent_code extent) {
    const auto i = static_cast<std::int64_t>(index);
    if (i >= 0) return i;
    g.extents.require({requirement::kind::at_most, -i, extent, "slice"});
    return g.extents.subtract(extent, -i);
  }
  static constexpr extent_code bound(graph& g, const expression auto& index, extent_code) {
    const node& n = g.nodes[index.untyped().id];
    if (n.op != op<ops::input>) {
      g.report(mistake::slice_bound);
      return 0;
    }
    const extent_code value = g.extents.intern({extent_kind::scalar, n.attr.a, 0});
    g.extents.require({requirement::kind::at_most, 0, value, "slice"});
    return value;
  }
};

/// Indices first, first + step, ... below last along an axis. Bounds outside the tensor are a `shape_error` at the call.
template <int Axis, range_bound First, range_bound Last>
constexpr index_range<Axis, First, Last> range(axis_list<Axis>, First first, Last last, std::int64_t step = 1) {
  return {first, last, step};
}
template <range_bound First, range_bound Last>
constexpr index_range<0, First, Last> rows(First first, Last last) {
  return {first, last};
}
template <range_bound First, range_bound Last>
constexpr index_range<1, First, Last> cols(First first, Last last) {
  return {first, last};
}

}  // namespace kroton
