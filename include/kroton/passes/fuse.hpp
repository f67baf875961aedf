// Decides which nodes share a kernel: groups of elementwise operations and reductions over one iteration space.
#pragma once

#include <kroton/passes/layout.hpp>

namespace kroton {

enum class group_kind : std::uint8_t {
  map,      ///< elementwise only
  rows,     ///< reductions over the last axes, whose results may be used elementwise again
  columns,  ///< reductions over the first axes, then elementwise on what is left
  full,     ///< reductions over all axes, then arithmetic on scalars
  single    ///< an operation with a kernel of its own (dot, take, ...)
};

struct group {
  group_kind kind = group_kind::map;
  int space = 0;           ///< shape of the iteration space
  std::int64_t axes = 0;   ///< reduced axes
  int depth = 0;           ///< more than that of every group it depends on
  bool has_dependents = false;
  array_list<int> members; ///< nodes, not in order once groups were merged
};

/// What a node is within its group: a value for each element of the space, or for each of its reduced shape.
enum class role : std::uint8_t { element, reduced };

class fusion {
 public:
  array_list<group> groups;
  array_list<int> group_of;   ///< of each node, -1: not computed
  array_list<role> role_of;
  array_list<bool> inlined;   ///< cheap arithmetic on scalars, repeated in every kernel that uses it
  array_list<view_map> views;

  constexpr explicit fusion(graph& g)
      : group_of(g.size(), -1), role_of(g.size(), role::element), inlined(g.size(), false), graph_(g) {
    extend_views(g, views);
    array_list<bool> results(g.size(), false);
    for (int id : g.outputs) results[id] = true;
    for (const update_entry& u : g.updates) results[u.source] = true;
    for (int id = 0; id < g.size(); ++id)  // operations with kernels of their own read memory, and so do index checks
      if (g.nodes[id].op->kind >= op_kind::embed || g.nodes[id].op->id == id_of<ops::index_check>)
        for (int i = 0; i < g.nodes[id].count; ++i) results[views[g.operand(id, i)].base] = true;
    for (int id = 0; id < graph_.size(); ++id) {
      const node& n = g.nodes[id];
      if (!is_computed(n)) continue;
      inlined[id] = !results[id] && is_cheap_scalar(n);
      if (inlined[id]) continue;
      if (n.op->kind == op_kind::map) place_map(id);
      else if (n.op->kind == op_kind::reduce) place_reduction(id);
      else start(id, group_kind::single, n.shape, 0, role::element);
    }
  }

  /// How a reader with shape `at`, in group `k`, sees operand `x` that the same group computes: as the value of the
  /// same element, as the value of the row (`reduced`), or not at all within the group.
  enum class sight : std::uint8_t { none, element, reduced };
  constexpr sight see(int k, int x, const shape& at) const {
    const view_map& v = views[x];
    if (v.base < 0 || group_of[v.base] != k || v.offset != 0) return sight::none;
    const shape& s = graph_.shape_of(x);
    const shape& space = graph_.shapes[groups[k].space];
    if (v.base == x && role_of[x] == role::element) return s == at && s == space ? sight::element : sight::none;
    extent_code want[max_rank] = {};
    if (role_of[v.base] == role::element) {
      if (!(at == space)) return sight::none;
      row_major(graph_.extents, space, want);
      return same_strides(s, v, at, want) ? sight::element : sight::none;
    }
    // strides of the reduced value, spread over the space
    const shape small = reduced(space, groups[k].axes);
    row_major(graph_.extents, small, want);
    if (at == space) {
      extent_code spread[max_rank] = {};
      for (int axis = 0, i = 0; axis < space.rank; ++axis)
        spread[axis] = (groups[k].axes >> axis) & 1 ? 0 : want[i++];
      return same_strides(s, v, at, spread) ? sight::reduced : sight::none;
    }
    return same_size_ones(at, small) && row_major_from(graph_.extents, s, v, 0) && same_size_ones(s, small) ? sight::reduced
                                                                                                           : sight::none;
  }

 private:
  graph& graph_;

  /// Whether operand `s` with view `v`, broadcast to `at`, has the strides `want` (those of extents 1 do not matter).
  static constexpr bool same_strides(const shape& s, const view_map& v, const shape& at, const extent_code* want) {
    const int offset = at.rank - s.rank;
    for (int axis = 0; axis < at.rank; ++axis) {
      if (at[axis] == 1) continue;
      const bool spread = axis < offset || s[axis - offset] == 1;
      if ((spread ? 0 : v.stride[axis - offset]) != want[axis]) return false;
    }
    return true;
  }
  /// Equal but for axes of extent 1.
  static constexpr bool same_size_ones(const shape& x, const shape& y) {
    int i = 0, j = 0;
    while (true) {
      while (i < x.rank && x[i] == 1) ++i;
      while (j < y.rank && y[j] == 1) ++j;
      if (i == x.rank || j == y.rank) return i == x.rank && j == y.rank;
      if (x[i++] != y[j++]) return false;
    }
  }

  constexpr bool is_cheap_scalar(const node& n) const {
    if (n.op->kind != op_kind::map || n.op->cost > 4 || graph_.shapes[n.shape].rank != 0) return false;
    for (int i = 0; i < n.count; ++i) {
      const int b = views[graph_.operands[n.first + i]].base;
      if (is_computed(graph_.nodes[b]) && !inlined[b]) return false;
    }
    return true;
  }

  constexpr void start(int id, group_kind kind, int space, std::int64_t axes, role r) {
    groups.push_back({kind, space, axes, 0, false, {}});
    join(id, groups.size() - 1, r);
  }
  constexpr void join(int id, int k, role r) {
    group_of[id] = k;
    role_of[id] = r;
    groups[k].members.push_back(id);
    for (int i = 0; i < graph_.nodes[id].count; ++i) {
      const int base = views[graph_.operand(id, i)].base;
      const int h = base < 0 ? -1 : group_of[base];
      if (h < 0 || h == k) continue;
      groups[h].has_dependents = true;
      if (groups[k].depth <= groups[h].depth) groups[k].depth = groups[h].depth + 1;
    }
  }
  /// Whether node `id` can join group `k` with role `r`: it sees what the group computes, and nothing else it needs
  /// depends on the group. That is judged by depths, which only a group without dependents may still increase.
  constexpr bool fits(int id, int k, role r, const shape& at) const {
    bool linked = false;
    for (int i = 0; i < graph_.nodes[id].count; ++i) {
      const int x = graph_.operand(id, i), base = views[x].base;
      const int h = base < 0 ? -1 : group_of[base];
      if (h < 0) continue;
      if (h != k) {
        if (groups[h].depth >= groups[k].depth && groups[k].has_dependents) return false;
        continue;
      }
      const sight how = see(k, x, at);
      if (how == sight::none || (r == role::reduced && how == sight::element && graph_.nodes[id].op->kind == op_kind::map))
        return false;
      if (r == role::element && how == sight::reduced && groups[k].kind != group_kind::rows) return false;
      linked = true;
    }
    return linked;
  }
  /// Makes group `h` part of group `k`: both have one space, and neither depends on the other.
  constexpr void merge(int k, int h) {
    if (groups[h].kind != group_kind::map) {
      groups[k].kind = groups[h].kind;
      groups[k].axes = groups[h].axes;
    }
    for (int id : groups[h].members) {
      group_of[id] = k;
      groups[k].members.push_back(id);
    }
    groups[h].members.clear();
    if (groups[k].depth < groups[h].depth) groups[k].depth = groups[h].depth;
    groups[k].has_dependents = groups[k].has_dependents || groups[h].has_dependents;
  }
  /// Whether two groups may become one. Neither depends on the other when their depths are equal, or when nothing
  /// depends on the shallower one.
  constexpr bool mergeable(int k, int h) const {
    const group &x = groups[k], &y = groups[h];
    if (x.space != y.space || x.kind == group_kind::single || y.kind == group_kind::single) return false;
    if (x.depth != y.depth && (x.depth < y.depth ? x : y).has_dependents) return false;
    return x.kind == group_kind::map || y.kind == group_kind::map || (x.kind == y.kind && x.axes == y.axes);
  }
  /// Merges the groups that compute the operands of `id` where that is possible.
  constexpr void merge_operands(int id) {
    int k = -1;
    for (int i = 0; i < graph_.nodes[id].count; ++i) {
      const int base = views[graph_.operand(id, i)].base;
      const int h = base < 0 ? -1 : group_of[base];
      if (h < 0 || h == k || !(graph_.shapes[groups[h].space] == graph_.shape_of(id))) continue;
      if (k < 0) k = h;
      else if (mergeable(k, h)) merge(k, h);
    }
  }
  constexpr void place_map(int id) {
    merge_operands(id);
    const shape& at = graph_.shape_of(id);
    for (int i = 0; i < graph_.nodes[id].count; ++i) {
      const int base = views[graph_.operand(id, i)].base;
      const int k = base < 0 ? -1 : group_of[base];
      if (k < 0 || groups[k].kind == group_kind::single) continue;
      const shape& space = graph_.shapes[groups[k].space];
      if (at == space && fits(id, k, role::element, at))
        return join(id, k, role::element);
      if (groups[k].kind != group_kind::map && same_size_ones(at, reduced(space, groups[k].axes)) &&
          fits(id, k, role::reduced, at))
        return join(id, k, role::reduced);
    }
    start(id, group_kind::map, graph_.nodes[id].shape, 0, role::element);
  }
  constexpr void place_reduction(int id) {
    const node& n = graph_.nodes[id];
    const int x = graph_.operand(id, 0), base = views[x].base;
    const shape& at = graph_.shape_of(x);
    const int rank = at.rank;
    const group_kind kind = n.attr.a == all_axes(rank)        ? group_kind::full
                            : is_trailing(n.attr.a, rank) ? group_kind::rows
                                                          : group_kind::columns;
    const int k = base < 0 ? -1 : group_of[base];
    if (k >= 0 && groups[k].kind != group_kind::single && at == graph_.shapes[groups[k].space] &&
        (groups[k].kind == group_kind::map || (groups[k].kind == kind && groups[k].axes == n.attr.a)) &&
        see(k, x, at) == sight::element) {
      groups[k].kind = kind;
      groups[k].axes = n.attr.a;
      return join(id, k, role::reduced);
    }
    start(id, kind, graph_.nodes[x].shape, n.attr.a, role::reduced);
  }
};

}  // namespace kroton
