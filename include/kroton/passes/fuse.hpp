// This pass decides which nodes share a kernel. A group has elementwise operations and reductions over one iteration
// space; products, lookups and transfers are groups of their own.
//
//     %1 = exp(%0) (batch, 8), %2 = sum(%1, axis<1>, keep_dims) (batch, 1), %3 = div(%1, %2) (batch, 8)
//       ->  one group over rows of (batch, 8): exp, sum, div
#pragma once

#include <kroton/graph/loop_order.hpp>
#include <kroton/passes/inlined_nodes.hpp>
#include <kroton/passes/update_chains.hpp>

namespace kroton::passes {

enum class group_kind : std::uint8_t {
  map,           ///< elementwise only
  over_rows,     ///< reductions over the last axes, whose results may be used elementwise again
  over_columns,  ///< reductions over the first axes, then elementwise on what is left
  full,          ///< reductions over all axes, then arithmetic on scalars
  single         ///< an operation with a kernel of its own (dot, take, ...)
};

struct group {
  group_kind kind = group_kind::map;
  int space = 0;          ///< shape of the iteration space
  std::int64_t axes = 0;  ///< reduced axes
  int depth = 0;          ///< more than that of every group it depends on
  bool has_dependents = false;
  int instructions = 0;  ///< nodes, and arithmetic on scalars that is repeated for them
  loop_set loops = 0;    ///< in which it runs
  loop_sides sides;
  int loads = 0;            ///< values that they read from memory; those that two groups read are two after a merge
  array_list<int> members;  ///< nodes, not in order once groups were merged
};

/// Instructions from which on a group grows no further. Compilers take longer for a longer kernel than for two that are
/// half as long: clang refuses folds of 256 operands, and g++ keeps names above 4,096 characters in pages of their own.
inline constexpr int most_instructions = 120;
/// The same of loads: a processor fetches only so many arrays ahead.
inline constexpr int most_loads = 40;

/// The role of a node within its group: a value for each element of the space, or for each of its reduced shape.
enum class role : std::uint8_t { element, reduced };

class fusion {
 public:
  array_list<group> groups;
  array_list<int> group_of;  ///< of each node, -1: not computed
  array_list<role> role_of;
  inlined_nodes inlined;  ///< repeated in every kernel that uses them
  const view_map* views;

  constexpr fusion(graph& g, const view_map* views_of_nodes)
      : group_of(g.size(), -1), role_of(g.size(), role::element), inlined(g, views_of_nodes), views(views_of_nodes),
        graph_(g), loaded_by_(g.size(), -1), chains_(g, views), group_of_chain_(g.size(), -1), sides_(g) {
    for (int id = 0, count = g.size(); id < count; ++id) {
      const node& n = g.nodes.items[id];
      if (!is_computed(n) || inlined[id]) continue;
      if (n.op->kind == op_kind::map) assign_map(id);
      else if (n.op->kind == op_kind::reduce) assign_reduction(id);
      else start(id, group_kind::single, n.shape, 0, role::element);
    }
  }

  /// How a reader with shape `reader`, in group `k`, sees operand `x` that the same group computes: as the value of the
  /// same element, as the value of the row (`reduced`), or not at all within the group.
  enum class sight : std::uint8_t { none, element, reduced };
  constexpr sight see(int k, int x, int reader) const {
    const view_map& v = views[x];
    if (v.base < 0 || group_of.items[v.base] != k || v.offset != 0) return sight::none;
    const bool fills = reader == groups.items[k].space;
    const bool is_element = role_of.items[v.base] == role::element;
    if (is_element && v.base == x) return fills && graph_.nodes.items[x].shape == reader ? sight::element : sight::none;
    const shape &s = graph_.shape_of(x), &at = graph_.shapes[reader], &space = graph_.shapes[groups[k].space];
    extent_code want[max_rank] = {};
    if (is_element) {
      if (!fills) return sight::none;
      row_major(graph_.extents, space, want);
      return same_strides(s, v, at, want) ? sight::element : sight::none;
    }
    // strides of the reduced value, spread over the space
    const shape small = reduced(space, groups[k].axes);
    row_major(graph_.extents, small, want);
    if (fills) {
      extent_code spread[max_rank] = {};
      for (int axis = 0, i = 0; axis < space.rank; ++axis) spread[axis] = (groups[k].axes >> axis) & 1 ? 0 : want[i++];
      return same_strides(s, v, at, spread) ? sight::reduced : sight::none;
    }
    return same_size_ones(at, small) && row_major_from(graph_.extents, s, v, 0) && same_size_ones(s, small)
               ? sight::reduced
               : sight::none;
  }

 private:
  graph& graph_;
  array_list<int> loaded_by_;  // the group that was last seen to read each node from memory
  update_chains chains_;
  array_list<int> group_of_chain_;  // by the nodes that stand for chains: the group that the last node has joined
  loop_order sides_;

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
  /// The group of a node; of such a node without a group, that of a draw that it is made of.
  constexpr int home_of(int id) const {
    int k = group_of.items[id];
    if (k >= 0 || !inlined.is_repeated(id)) return k;
    const node& n = graph_.nodes.items[id];
    for (int i = n.first; i < n.first + n.count && k < 0; ++i)
      if (const int x = graph_.operands.items[i]; inlined.is_repeated(x)) k = home_of(x);
    return k;
  }
  /// The node that has to be computed before `base` can be read: for a carried variable, what it is in the beginning.
  constexpr int with_value_of(int base) const {
    while (graph_.nodes.items[base].op->kind == op_kind::loop_carried) base = views[graph_.operand(base, 0)].base;
    return base;
  }
  constexpr void start(int id, group_kind kind, int space, std::int64_t axes, role r) {
    groups.push_back({kind, space, axes, 0, false, 0, graph_.nodes.items[id].loops, {}, 0, {}});
    join(id, groups.size() - 1, r);
  }
  constexpr void join(int id, int k, role r) {
    group_of.items[id] = k;
    role_of.items[id] = r;
    group& mine = groups.items[k];
    mine.members.push_back(id);
    mine.sides = mine.sides | sides_[id];
    ++mine.instructions;
    const node& n = graph_.nodes.items[id];
    const int* operands = graph_.operands.items + n.first;
    for (int i = 0; i < n.count; ++i)  // the first group that uses a draw has it, and other readers may join the group
      if (const int x = operands[i];
          inlined.is_repeated(x) && group_of.items[x] < 0 && graph_.nodes.items[x].shape == mine.space)
        join(x, k, role::element);
    for (int i = 0; i < n.count; ++i) {
      const int base = views[operands[i]].base;
      const int h = base < 0 ? -1 : group_of.items[with_value_of(base)];
      if (h == k || base < 0) continue;
      if (loaded_by_.items[base] != k) {
        loaded_by_.items[base] = k;
        if (inlined[base]) mine.instructions += inlined.instructions(base);
        else ++mine.loads;
      }
      if (h < 0 || inlined.is_repeated(base)) continue;
      group& other = groups.items[h];
      other.has_dependents = true;
      if (mine.depth <= other.depth) mine.depth = other.depth + 1;
    }
  }
  /// Whether node `id` and a group may run at the same time, as far as loops are concerned.
  constexpr bool runs_with(const group& g, int id) const {
    return g.loops == graph_.nodes.items[id].loops && (g.sides | sides_[id]).is_possible();
  }
  static constexpr bool is_full(int instructions, int loads) {
    return instructions >= most_instructions || loads >= most_loads;
  }
  /// Whether node `id` can join group `k` with role `r`: it reads a value of the group, or is `linked` to it otherwise,
  /// sees what the group computes, and nothing else it needs depends on the group. That is judged by depths, which only
  /// a group without dependents may still increase.
  constexpr bool fits(int id, int k, role r, bool linked = false) const {
    const group& mine = groups.items[k];
    const node& n = graph_.nodes.items[id];
    if (is_full(mine.instructions, mine.loads) || !runs_with(mine, id)) return false;
    const int* operands = graph_.operands.items + n.first;
    for (int i = 0; i < n.count; ++i) {
      const int x = operands[i], base = views[x].base;
      const int h = base < 0 ? -1 : group_of.items[with_value_of(base)];
      if (base >= 0 && inlined.is_repeated(base)) {
        linked = linked || (x == base && n.shape == mine.space && home_of(base) == k);
        continue;
      }
      if (h < 0) continue;
      if (h != k) {
        if (mine.has_dependents && groups.items[h].depth >= mine.depth) return false;
        continue;
      }
      const sight how = see(k, x, n.shape);
      if (how == sight::none || (r == role::reduced && how == sight::element && n.op->kind == op_kind::map))
        return false;
      if (r == role::element && how == sight::reduced && mine.kind != group_kind::over_rows) return false;
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
    groups[k].instructions += groups[h].instructions;
    groups[k].loads += groups[h].loads;
    if (groups[k].depth < groups[h].depth) groups[k].depth = groups[h].depth;
    groups[k].has_dependents = groups[k].has_dependents || groups[h].has_dependents;
    groups[k].sides = groups[k].sides | groups[h].sides;
  }
  /// Whether two groups may become one. Neither depends on the other when their depths are equal, or when nothing
  /// depends on the shallower one.
  constexpr bool mergeable(int k, int h) const {
    const group &x = groups[k], &y = groups[h];
    if (x.loops != y.loops || !(x.sides | y.sides).is_possible()) return false;
    if (x.space != y.space || x.kind == group_kind::single || y.kind == group_kind::single) return false;
    if (is_full(x.instructions + y.instructions, x.loads + y.loads)) return false;
    if (x.depth != y.depth && (x.depth < y.depth ? x : y).has_dependents) return false;
    return x.kind == group_kind::map || y.kind == group_kind::map || (x.kind == y.kind && x.axes == y.axes);
  }
  /// Merges the groups that compute the operands of `id` where that is possible.
  constexpr void merge_operands(const node& n) {
    int k = -1;
    const int* operands = graph_.operands.items + n.first;
    for (int i = 0; i < n.count; ++i) {
      const int base = views[operands[i]].base;
      const int h = base < 0 ? -1 : home_of(base);
      if (h < 0 || h == k || groups.items[h].space != n.shape) continue;
      if (k < 0) k = h;
      else if (mergeable(k, h)) merge(k, h);
    }
  }
  constexpr void assign_map(int id) {
    const node& n = graph_.nodes.items[id];
    if (n.count > 1) merge_operands(n);
    const int* operands = graph_.operands.items + n.first;
    for (int i = 0; i < n.count; ++i) {
      const int base = views[operands[i]].base;
      const int k = base < 0 ? -1 : home_of(base);
      if (k < 0) continue;
      const group& g = groups.items[k];
      if (g.kind == group_kind::single) continue;
      if (n.shape == g.space && fits(id, k, role::element)) return join(id, k, role::element);
      if (g.kind != group_kind::map && !chains_.is_apart(id) &&
          same_size_ones(graph_.shapes[n.shape], reduced(graph_.shapes[g.space], g.axes)) && fits(id, k, role::reduced))
        return join(id, k, role::reduced);
    }
    if (chains_.is_apart(id)) return assign_to_chain(id);
    start(id, group_kind::map, n.shape, 0, role::element);
  }
  /// Nodes of a chain are one group, even where none reads the other, because they read the same tensors.
  constexpr void assign_to_chain(int id) {
    const int shape = graph_.nodes.items[id].shape;
    int& k = group_of_chain_[chains_.chain_of(id)];
    if (k >= 0 && groups[k].kind == group_kind::map && groups[k].space == shape && fits(id, k, role::element, true))
      return join(id, k, role::element);
    start(id, group_kind::map, shape, 0, role::element);
    k = groups.size() - 1;
  }
  constexpr void assign_reduction(int id) {
    const node& n = graph_.nodes[id];
    const int x = graph_.operand(id, 0), base = views[x].base, space = graph_.nodes[x].shape;
    const int rank = graph_.shapes[space].rank;
    const std::int64_t axes = reduction_form::of(n.attr).axes;
    const group_kind kind = axes == all_axes(rank)    ? group_kind::full
                            : is_trailing(axes, rank) ? group_kind::over_rows
                                                      : group_kind::over_columns;
    const int k = base < 0 ? -1 : home_of(base);
    if (k >= 0 && groups[k].kind != group_kind::single && !is_full(groups[k].instructions, groups[k].loads) &&
        space == groups[k].space && runs_with(groups[k], id) &&
        (groups[k].kind == group_kind::map || (groups[k].kind == kind && groups[k].axes == axes)) &&
        (see(k, x, space) == sight::element || (inlined.is_repeated(base) && x == base))) {
      groups[k].kind = kind;
      groups[k].axes = axes;
      return join(id, k, role::reduced);
    }
    start(id, kind, space, axes, role::reduced);
  }
};

}  // namespace kroton::passes
