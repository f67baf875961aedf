// This pass decides where the elements of each node lie. Reshapes, permutations, broadcasts and slices become views of
// the buffer of another node, by an offset and strides; a copy is made where strides cannot say it.
//
//     %1 = transpose(%0) (8, batch), %2 = slice(%1, rows 2 to 5)  ->  view of %0: offset 2, strides {1, 8}
#pragma once

#include <kroton/graph/loop_order.hpp>
#include <kroton/passes/rewrite.hpp>

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

/// Strides of a reshape that only inserts or removes axes of extent 1.
constexpr bool reshape_ones(const shape& from, const view_map& v, const shape& to, view_map& result) {
  int i = 0;
  for (int axis = 0; axis < to.rank; ++axis) {
    if (to[axis] == 1) {
      result.stride[axis] = 0;
      continue;
    }
    while (i < from.rank && from[i] == 1) ++i;
    if (i == from.rank || from[i] != to[axis]) return false;
    result.stride[axis] = v.stride[i++];
  }
  while (i < from.rank && from[i] == 1) ++i;
  return i == from.rank;
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
      if (reshape_ones(from, v, to, result)) return result;
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

/// Whether a matrix product can read its operand so: unit stride along one of the last two axes.
constexpr bool blas_readable(const shape& s, const view_map& v) {
  const int r = s.rank;
  const bool rows = v.stride[r - 1] == 1 || s[r - 1] == 1, columns = v.stride[r - 2] == 1 || s[r - 2] == 1;
  return (rows && (v.stride[r - 2] != 0 || s[r - 2] == 1)) || (columns && (v.stride[r - 1] != 0 || s[r - 1] == 1));
}

/// Whether a node has a kernel of its own, or a share in one.
constexpr bool is_computed(const node& n) {
  return !is_view(n) && (n.op->kind == op_kind::map || n.op->kind == op_kind::reduce || is_whole_tensor(n.op->kind));
}

/// Whether the axes of `mask` are the last ones of `rank`, and whether they are the first ones.
constexpr bool is_trailing(std::int64_t mask, int rank) { return ((mask + (mask & -mask)) >> rank) == 1 || mask == 0; }
constexpr bool is_leading(std::int64_t mask) { return (mask & (mask + 1)) == 0; }

/// The values of a body that the results of a loop have. Each is a node that a kernel writes in each iteration, and it
/// lies in the rows of one result.
class loop_values {
 public:
  constexpr explicit loop_values(graph& g) : graph_(g) {}

  /// Replaces the operands of a result by nodes that can be kept.
  constexpr void lay_out(const node& n, array_list<int>& args) {
    const int loop = loop_row_form::loop_number(n.attr);
    const extent_code iterations = loop_result_form::of(n.attr).iterations;
    const bool has_rows = n.op->kind == op_kind::loop_rows;
    for (int i = first_carried(n.op->kind) + 1; i < args.size(); i += 2) args[i] = written(args[i], loop, iterations);
    if (has_rows) args[0] = alone(written(args[0], loop, iterations), loop);
  }

 private:
  graph& graph_;
  struct renamed {
    int from, loop, to;
  };
  array_list<renamed> written_;
  array_list<int> in_rows_;  // nodes that lie in the rows of a result

  /// Node `id`, or a copy that iterations write.
  constexpr int written(int id, int loop, extent_code iterations) {
    const node n = graph_.nodes[id];
    if (is_computed(n) && body_of(n.loops) == loop) return id;
    for (const renamed& r : written_)
      if (r.from == id && r.loop == loop) return r.to;
    int made = id;
    if (body_of(n.loops) != loop) {  // it is the same in all iterations
      const term row = loop_row_term(iota(graph_, dtype::int64, iterations), {loop, false, 0});
      const int operands[] = {(row >= 0).id, id, id};
      made = graph_.add(op<ops::where>, n.type, n.shape, {}, operands, 3);
    } else {
      made = graph_.add(op<ops::copy>, n.type, n.shape, copy_form{-1 - loop}, &id, 1);
    }
    written_.push_back({id, loop, made});
    return made;
  }
  /// Node `id`, or a copy, if the rows of another result have it.
  constexpr int alone(int id, int loop) {
    int copies = 0;
    while (in_rows_.contains(id)) {
      const node n = graph_.nodes[id];
      id = graph_.add(op<ops::copy>, n.type, n.shape, copy_form{-1 - loop - 64 * ++copies}, &id, 1);
    }
    in_rows_.push_back(id);
    return id;
  }
};

/// Copies of views that the kernels cannot read, and of outputs and new values that are not freshly computed.
template <graph_size Size>
constexpr void lay_out(const frozen_graph<Size>& f, graph& g) {
  thaw_frame(f, g);
  array_list<int> renamed(Size.nodes, -1);
  view_list views;
  const auto in_memory = [&](int id) {
    const op_kind kind = g.nodes[views[id].base].op->kind;
    return kind != op_kind::constant && kind != op_kind::extent && kind != op_kind::iota;
  };
  const auto contiguous = [&](int id) {
    const bool whole = views[id].offset == 0 && row_major_from(g.extents, g.shape_of(id), views[id], 0);
    return whole && in_memory(id) ? id : copy_term({&g, id}).id;
  };
  array_list<int> args;
  loop_values kept(g);
  const array_list<bool> live = live_nodes(f);
  for (int id = 0; id < Size.nodes; ++id) {
    if (!live[id]) continue;
    const node& n = f.nodes[id];
    args.clear();
    for (int i = 0; i < n.count; ++i) args.push_back(renamed[f.operands[n.first + i]]);
    views.extend(g);
    if (n.op->kind == op_kind::dot) {
      const int added = n.op->id == id_of<ops::gemm> ? gemm_form::of(n.attr).added : -1;
      for (int i = 0; i < args.size(); ++i)
        if (i == added) args[i] = contiguous(args[i]);
        else if (!in_memory(args[i]) || (i < 2 && !blas_readable(g.shape_of(args[i]), views[args[i]])))
          args[i] = copy_term({&g, args[i]}).id;
    } else if (n.op->kind == op_kind::loop_carried) {
      args[0] = contiguous(args[0]);
    } else if (is_loop_result(n.op->kind)) {
      kept.lay_out(n, args);
    } else if (n.op->kind == op_kind::take || n.op->kind == op_kind::scatter_add || n.op->kind == op_kind::routine ||
               n.op->kind == op_kind::transfer) {
      for (int& x : args) x = contiguous(x);
    } else if (n.op->kind == op_kind::embed || n.op->kind == op_kind::concatenate) {
      for (int& x : args)
        if (g.nodes[views[x].base].op->kind == op_kind::extent) x = copy_term({&g, x}).id;
    } else if (n.op->kind == op_kind::reduce &&
               !is_trailing(reduction_form::of(n.attr).axes, g.shape_of(args[0]).rank) &&
               !is_leading(reduction_form::of(n.attr).axes)) {
      // kept axes first, so that what a row reduces is the last axes
      const int rank = g.shape_of(args[0]).rank;
      const auto reduction = reduction_form::of(n.attr);
      std::int64_t order = 0, reduced_axes = 0;
      int at = 0;
      for (int pass = 0; pass < 2; ++pass)
        for (int axis = 0; axis < rank; ++axis)
          if (reduction.is_over(axis) == (pass != 0)) {
            order |= static_cast<std::int64_t>(axis) << (4 * at);
            if (pass == 1) reduced_axes |= std::int64_t{1} << at;
            ++at;
          }
      const term moved = transpose_term({&g, args[0]}, order);
      renamed[id] = g.add(n.op, n.type, n.shape, reduction_form{reduced_axes}, &moved.id, 1);
      continue;
    } else if (n.op->kind == op_kind::reshape) {
      if (view_through(g.extents, n, g.shape_of(args[0]), views[args[0]], g.shapes[n.shape]).base < 0)
        args[0] = copy_term({&g, args[0]}).id;
    }
    renamed[id] = g.add(n.op, n.type, n.shape, n.attr, args.begin(), n.count);
  }
  // Every output and every new value is a node of its own that a kernel writes.
  array_list<bool> taken(g.size(), false);
  int copies = 0;  // makes copies of one node different nodes
  const auto fresh = [&](int id) {
    const node n = g.nodes[id];
    if (is_computed(n) && !taken[id]) {
      taken[id] = true;
      return id;
    }
    return g.add(op<ops::copy>, n.type, n.shape, copy_form{++copies}, &id, 1);
  };
  for (int i = 0; i < Size.outputs; ++i) g.outputs.push_back(fresh(renamed[f.outputs[i]]));
  for (int i = 0; i < Size.updates; ++i)
    g.updates.push_back(update_entry{f.updates[i].target, fresh(renamed[f.updates[i].source])});
  views.extend(g);  // so that all extents that views need are there
}

}  // namespace kroton::passes
