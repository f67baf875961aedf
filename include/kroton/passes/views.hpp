// This header describes the elements of a node as a view of a buffer: an offset and a stride for each axis.
//
//     %1 = transpose(%0) (8, batch), %2 = slice(%1, rows 2 to 5)  ->  view of %0: offset 2, strides {1, 8}
#pragma once

#include <kroton/graph/loop_order.hpp>
#include <kroton/graph/ops.hpp>

namespace kroton::passes {

/// The elements of a node as a view of the buffer of node `base`: offset and strides in elements, as extent codes.
struct view_map {
  int base = -1;
  extent_code offset = 0;
  extent_code stride[max_rank] = {};
  int motion = -1;  ///< in the iterations of loops (extent_table::motions), -1: the view does not move
};

/// Row-major strides of `s`.
constexpr void row_major(extent_table& table, const shape& s, extent_code* stride) {
  extent_code step = 1;
  for (int axis = s.rank - 1; axis >= 0; --axis) {
    stride[axis] = step;
    step = table.multiply(step, s[axis]);
  }
}

/// Whether two shapes are equal but for axes of extent 1.
constexpr bool same_size_ones(const shape& x, const shape& y) {
  int i = 0, j = 0;
  while (true) {
    while (i < x.rank && x[i] == 1) ++i;
    while (j < y.rank && y[j] == 1) ++j;
    if (i == x.rank || j == y.rank) return i == x.rank && j == y.rank;
    if (x[i++] != y[j++]) return false;
  }
}

/// Whether a node only says how to look at its operand. An index check is such a node too: the executor looks at the
/// indices themselves before anything runs.
constexpr bool is_view(const node& n) { return is_view(n.op->kind) || n.op->id == id_of<ops::index_check>; }

/// Whether the view has row-major strides over the axes from `first` on (axes of extent 1 have no stride).
constexpr bool row_major_from(extent_table& table, const shape& s, const view_map& v, int first) {
  extent_code step = 1;
  for (int axis = s.rank - 1; axis >= first; --axis) {
    if (s[axis] == 1) continue;
    if (v.stride[axis] != step) return false;
    step = table.multiply(step, s[axis]);
  }
  return true;
}

/// Neighbouring axes of two shapes with the same number of elements: so many of each, at least one.
struct equal_axes {
  int from = 0, to = 0;
};
/// The first of such axes, from axis `i` of one shape and axis `j` of the other on; none, if there are none.
constexpr equal_axes first_equal(extent_table& table, const shape& from, int i, const shape& to, int j) {
  extent_code before[max_rank] = {};
  for (int axis = j; axis < to.rank; ++axis)
    before[axis - j] = axis == j ? to[axis] : table.multiply(before[axis - j - 1], to[axis]);
  extent_code count = 1;
  for (int axis = i; axis < from.rank; ++axis) {
    count = table.multiply(count, from[axis]);
    for (int other = j; other < to.rank; ++other)
      if (before[other - j] == count) return {axis + 1 - i, other + 1 - j};
  }
  return {};
}
/// Strides of a reshape that inserts or removes axes of extent 1, and that joins or divides axes along which elements
/// are evenly apart.
///
///     (8, n, 6), strides {1, 48, 8}  ->  (8, n, 3, 2), strides {1, 48, 16, 8}
constexpr bool reshape_evenly(extent_table& table, const shape& from, const view_map& v, const shape& to,
                              view_map& result) {
  int i = 0, j = 0;
  while (true) {
    while (i < from.rank && from[i] == 1) ++i;
    while (j < to.rank && to[j] == 1) result.stride[j++] = 0;
    if (i == from.rank || j == to.rank) return i == from.rank && j == to.rank;
    const equal_axes group = first_equal(table, from, i, to, j);
    if (group.from == 0) return false;
    int inner = -1;
    extent_code step = 1;
    for (int axis = i + group.from - 1; axis >= i; --axis) {
      if (from[axis] == 1) continue;
      if (inner < 0) step = v.stride[axis];
      else if (v.stride[axis] != table.multiply(v.stride[inner], from[inner])) return false;
      inner = axis;
    }
    for (int axis = j + group.to - 1; axis >= j; --axis) {
      result.stride[axis] = step;
      step = table.multiply(step, to[axis]);
    }
    i += group.from;
    j += group.to;
  }
}

/// The view that node `n` makes of its operand's view `v`; its base is -1 if there is no such view.
constexpr view_map view_through(extent_table& table, const node& n, const shape& from, const view_map& v,
                                const shape& to) {
  view_map result = v;
  switch (n.op->kind) {
    case op_kind::map: return result;  // an index check
    case op_kind::transpose:
      for (int i = 0; i < to.rank; ++i) result.stride[i] = v.stride[permuted_axis(transpose_form::of(n.attr).order, i)];
      return result;
    case op_kind::broadcast:
      for (int i = 0; i < to.rank; ++i) {
        const int axis = i - (to.rank - from.rank);
        result.stride[i] = axis < 0 || (from[axis] == 1 && to[i] != 1) ? 0 : v.stride[axis];
      }
      return result;
    case op_kind::slice: {
      const auto [axis, step, first] = slice_form::of(n.attr);
      result.offset = table.add(v.offset, table.multiply(v.stride[axis], first));
      result.stride[axis] = table.multiply(v.stride[axis], step);
      return result;
    }
    case op_kind::loop_row: {
      const loop_row_form row = loop_row_form::of(n.attr);
      result.offset = table.add(v.offset, table.multiply(v.stride[0], row.first));
      for (int i = 0; i < to.rank; ++i) result.stride[i] = v.stride[i + 1];
      result.motion = table.motions.intern({row.loop, row.goes_back, v.stride[0], v.motion});
      return result;
    }
    default:  // reshape
      if (reshape_evenly(table, from, v, to, result)) return result;
      if (row_major_from(table, from, v, 0)) {
        row_major(table, to, result.stride);
        return result;
      }
      result.base = -1;
      return result;
  }
}

/// The views of the nodes of a graph that grows; a node that is computed is its own base.
class view_list {
 public:
  constexpr const view_map& operator[](int id) const { return views_.items[id]; }
  /// Finds the views of the nodes of `g` that have none yet.
  constexpr void extend(graph& g) {
    const int count = g.size();
    for (int id = views_.size(); id < count; ++id) {
      const node& n = g.nodes.items[id];
      if (is_view(n)) {
        const int x = g.operand(id, 0);
        views_.push_back(view_through(g.extents, n, g.shape_of(x), views_[x], g.shape_of(id)));
      } else {
        views_.push_back(row_major_of(g, n.shape));
        views_.back().base = id;
      }
    }
  }

 private:
  array_list<view_map> views_;
  array_list<int> alike_;  // of each shape: a node of it that is computed, -1: none yet

  constexpr view_map row_major_of(graph& g, int shape) {
    if (alike_.size() <= shape) alike_.resize(g.shapes.size(), -1);
    int& known = alike_[shape];
    if (known >= 0) return views_[known];
    known = views_.size();
    view_map v;
    row_major(g.extents, g.shapes[shape], v.stride);
    return v;
  }
};

/// Whether a node has a kernel of its own, or a share in one.
constexpr bool is_computed(const node& n) {
  return !is_view(n) && (n.op->kind == op_kind::map || n.op->kind == op_kind::reduce || is_whole_tensor(n.op->kind));
}

}  // namespace kroton::passes
