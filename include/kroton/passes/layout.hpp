// This pass decides where the elements of each node lie. Reshapes, permutations, broadcasts and slices become views of
// the buffer of another node (passes/views.hpp); a copy is made where strides cannot say it.
//
//     %1 = reshape(%0) (6), %0 a transposed view  ->  %1 = reshape(%2), %2 = copy(%0)
#pragma once

#include <kroton/passes/live.hpp>
#include <kroton/passes/loop_values.hpp>

namespace kroton::passes {

/// Whether a matrix product can read its operand so: unit stride along one of the last two axes.
constexpr bool blas_readable(const shape& s, const view_map& v) {
  const int r = s.rank;
  const bool rows = v.stride[r - 1] == 1 || s[r - 1] == 1, columns = v.stride[r - 2] == 1 || s[r - 2] == 1;
  return (rows && (v.stride[r - 2] != 0 || s[r - 2] == 1)) || (columns && (v.stride[r - 1] != 0 || s[r - 1] == 1));
}

/// Whether a product in a loop reads a transposed matrix that is the same in all iterations. It is turned once, before
/// the loop, so that not each iteration has to.
constexpr bool turns_again(const graph& g, const node& product, int right, const view_map& v) {
  const shape& s = g.shape_of(right);
  const loop_set loops = g.nodes[right].loops;
  if ((product.loops & ~loops) == 0 || (loops & ~product.loops) != 0) return false;
  return s.rank == 2 && v.stride[1] != 1 && v.stride[0] == 1 && s[0] != 1 && s[1] != 1;
}

/// Whether the axes of `mask` are the last ones of `rank`, and whether they are the first ones.
constexpr bool is_trailing(std::int64_t mask, int rank) { return ((mask + (mask & -mask)) >> rank) == 1 || mask == 0; }
constexpr bool is_leading(std::int64_t mask) { return (mask & (mask + 1)) == 0; }

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
  array_list<int> history_of(Size.nodes, -1);  // of rows: what has them and the values before them
  for (int id = 0; id < Size.nodes; ++id)
    if (live[id] && is_history(f, f.nodes[id])) history_of[f.operands[f.nodes[id].first + 1]] = id;
  for (int id = 0; id < Size.nodes; ++id) {
    if (!live[id] || renamed[id] >= 0) continue;
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
      if (turns_again(g, n, args[1], views[args[1]])) args[1] = copy_term({&g, args[1]}).id;
    } else if (n.op->kind == op_kind::loop_carried) {
      args[0] = contiguous(args[0]);
    } else if (is_loop_result(n.op->kind)) {
      kept.lay_out(n, args);
      if (guard_of(f, n) >= 0) args.back() = contiguous(args.back());
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
    if (history_of[id] >= 0) {  // whoever reads the rows reads them there
      const node& h = f.nodes[history_of[id]];
      const int parts[] = {renamed[f.operands[h.first]], renamed[id]};
      const term all{&g, g.add(h.op, h.type, h.shape, h.attr, parts, 2)};
      renamed[history_of[id]] = all.id;
      renamed[id] = slice_term(all, {0, 1, g.shape_of(parts[0])[0]}, g.shape_of(parts[1])[0]).id;
    }
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
