// This header holds what fusion and ordering decided, as a constant that lowering reads.
//
//     3 nodes in one group over rows  ->  group_of {0, 0, 0}, groups {{over_rows, space (batch, 8), axes 0b10}}
#pragma once

#include <kroton/passes/fuse.hpp>

namespace kroton::passes {

/// The facts about a group that lowering needs.
struct group_facts {
  group_kind kind = group_kind::map;
  int space = 0;          ///< shape of the iteration space
  std::int64_t axes = 0;  ///< reduced axes
};

/// Where the iterations of a loop begin or end in the order of the groups.
struct loop_mark {
  int loop;
  bool is_end;
  static constexpr bool is_mark(int position) { return position < 0; }
  static constexpr loop_mark of(int position) { return {(-1 - position) / 2, (-1 - position) % 2 != 0}; }
  constexpr operator int() const { return -1 - (2 * loop + is_end); }
};

/// The groups of a graph of `Nodes` nodes, and their order.
template <int Nodes>
struct frozen_groups {
  plain_array<int, Nodes + 1> group_of = {};
  plain_array<role, Nodes + 1> role_of = {};
  plain_array<bool, Nodes + 1> inlined = {};
  plain_array<bool, Nodes + 1> stored = {};  ///< see nodes_in_memory; once the groups have an order
  plain_array<group_facts, Nodes + 1> groups = {};
  plain_array<int, Nodes + 1> order = {};  ///< groups, and loop_marks around those in loops
  int group_count = 0, order_count = 0;
};

/// The same beside the views of the nodes.
struct grouping {
  const int* group_of;
  const role* role_of;
  const bool *inlined, *stored;
  const group_facts* groups;
  const int* order;
  int group_count, order_count;
  const view_map* views;

  template <int Nodes>
  constexpr grouping(const frozen_groups<Nodes>& f, const view_map* views_of_nodes)
      : group_of(f.group_of), role_of(f.role_of), inlined(f.inlined), stored(f.stored), groups(f.groups),
        order(f.order), group_count(f.group_count), order_count(f.order_count), views(views_of_nodes) {}
};

}  // namespace kroton::passes
