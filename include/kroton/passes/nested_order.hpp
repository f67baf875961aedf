// This pass orders the groups of a function with loops: each loop is one group among those around it, and the groups of
// its body are ordered by themselves.
//
//     groups 0, 1 of which 1 is in loop 0, 2 has its result  ->  0, begin of loop 0, 1, end of loop 0, 2
#pragma once

#include <kroton/passes/masks.hpp>
#include <kroton/passes/order.hpp>

namespace kroton::passes {

/// Orders the groups of a function with loops: first those outside loops, among which each loop is one group, then
/// those of each loop alike.
class nested_order {
 public:
  array_list<int> order;  ///< groups and loop_marks

  constexpr nested_order(const graph& g, const grouping& fused)
      : g_(g), fused_(fused), item_of_group_(fused.group_count) {
    for (int id = 0; id < g.size(); ++id)
      if (const int k = fused.group_of[id]; k >= 0) {
        const node& n = g.nodes[id];
        item_of_group_[k] = {body_of(n.loops), is_loop_result(n.op->kind) ? loop_row_form::loop_number(n.attr) : -1};
      }
    for (int k = 0; k < fused.group_count; ++k) facts_.push_back(fused.groups[k]);
    for (int loop = 0; loop < g.loops.size(); ++loop) facts_.push_back({group_kind::single});
    order_body(-1);
  }

 private:
  struct item {
    int body = -1;       ///< the loop in which a group runs
    int result_of = -1;  ///< the loop whose results it has
  };
  const graph& g_;
  const grouping& fused_;
  array_list<item> item_of_group_;
  array_list<group_facts> facts_;  // of groups, and of loops after them

  /// What group `k` counts as in the body of a loop: itself, a loop in that body, or nothing there.
  constexpr int item_in(int body, int k) const {
    const item& mine = item_of_group_[k];
    if (mine.body == body && mine.result_of < 0) return k;
    int inner = mine.result_of >= 0 ? mine.result_of : mine.body;
    while (inner >= 0 && g_.loops[inner] != body) inner = g_.loops[inner];
    return inner < 0 ? -1 : fused_.group_count + inner;
  }
  constexpr void order_body(int body) {
    array_list<int> item_of_node(g_.size(), -1);
    for (int id = 0; id < g_.size(); ++id)
      if (fused_.group_of[id] >= 0) item_of_node[id] = item_in(body, fused_.group_of[id]);
    grouping contracted = fused_;
    contracted.group_of = item_of_node.items;
    contracted.groups = facts_.items;
    contracted.group_count = facts_.size();
    const group_order here(g_, contracted);
    for (int i : here.order) {
      if (i < fused_.group_count) {
        order.push_back(i);
        continue;
      }
      const int loop = i - fused_.group_count;
      order.push_back(loop_mark{loop, false});
      order_body(loop);
      order.push_back(loop_mark{loop, true});
      for (int k = 0; k < fused_.group_count; ++k)
        if (item_of_group_[k].result_of == loop) order.push_back(k);
    }
  }
};

/// Fuses the nodes of `g`; the groups have no order yet.
template <int Nodes>
constexpr frozen_groups<Nodes> fuse_nodes(graph& g, const view_map* views) {
  frozen_groups<Nodes> f;
  fusion fused(g, views);
  move_masks_to_readers(g, fused);
  copy_items(f.group_of, fused.group_of.items, Nodes);
  copy_items(f.role_of, fused.role_of.items, Nodes);
  copy_items(f.inlined, fused.inlined.items.items, Nodes);
  f.group_count = fused.groups.size();
  for (int k = 0; k < f.group_count; ++k)
    f.groups[k] = {fused.groups[k].kind, fused.groups[k].space, fused.groups[k].axes};
  return f;
}
/// Orders the groups of `g`.
template <int Nodes>
constexpr void order_groups(const graph& g, frozen_groups<Nodes>& f, const view_map* views) {
  const grouping fused(f, views);
  copy_items(f.stored, nodes_in_memory(g, fused).items, Nodes);
  const auto keep = [&](const array_list<int>& order) {
    f.order_count = order.size();
    copy_items(f.order, order.items, f.order_count);
  };
  if (g.loops.empty()) keep(group_order(g, fused).order);
  else keep(nested_order(g, fused).order);
}

}  // namespace kroton::passes
