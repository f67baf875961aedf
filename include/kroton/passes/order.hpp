// The order in which the groups of a function run, chosen for a small peak of memory.
#pragma once

#include <kroton/passes/grouping.hpp>
#include <kroton/passes/masks.hpp>

namespace kroton {

/// Whether a node's value is known without memory: a number, an extent, an index, or cheap arithmetic on scalars that is
/// repeated where it is used.
template <class Groups>
constexpr bool is_free(const graph& g, const Groups& fused, int id) {
  const op_kind kind = g.nodes[id].op->kind;
  return kind == op_kind::constant || kind == op_kind::extent || kind == op_kind::iota || fused.inlined[id];
}

/// The nodes whose values lie in memory: arguments and shared variables that are read, results, and what one group
/// computes and another reads.
template <class Groups>
constexpr array_list<bool> nodes_in_memory(const graph& g, const Groups& fused) {
  array_list<bool> stored(g.size(), false);
  for (int id : g.outputs) stored[id] = true;
  for (const update_entry& u : g.updates) stored[u.source] = true;
  for (int id = 0; id < g.size(); ++id) {
    if (fused.group_of[id] < 0 && !fused.inlined[id]) continue;
    for (int i = 0; i < g.nodes[id].count; ++i) {
      const int b = fused.views[g.operand(id, i)].base;
      if ((fused.group_of[b] < 0 || fused.group_of[b] != fused.group_of[id]) && !is_free(g, fused, b)) stored[b] = true;
    }
  }
  for (int id = 0; id < g.size(); ++id) {  // indices are looked at before they are used
    if (g.nodes[id].op->id != id_of<ops::index_check>) continue;
    const int b = fused.views[g.operand(id, 0)].base;
    if (!is_free(g, fused, b)) stored[b] = true;
  }
  return stored;
}

/// Orders groups one by one: of those whose operands are there, the one that leaves the least memory in use runs next.
/// A group that writes a new value waits, where possible, for the readers of the old one, so that it can write in place.
class group_order {
 public:
  array_list<int> order;                ///< groups
  array_list<array_list<int>> members;  ///< nodes of each group

  constexpr group_order(const graph& g, const grouping& fused, const array_list<bool>& stored)
      : members(fused.group_count), g_(g), fused_(fused), groups_(fused.group_count), bytes_(g.size(), 0) {
    estimate_extents();
    find_members(stored);
    find_links();
    run();
    delay();
  }

 private:
  /// What the choice needs to know of a group.
  struct facts {
    array_list<int> dependents;  ///< groups that need it
    array_list<int> frees_for;   ///< groups that write in place once this and others have read
    array_list<int> reads;       ///< temporaries that it reads, once each
    int missing = 0;             ///< groups that it needs and that have not run
    int old_readers = 0;         ///< groups that still read what it would overwrite
    std::int64_t writes = 0;     ///< bytes of temporaries that it makes
  };
  const graph& g_;
  const grouping& fused_;
  array_list<facts> groups_;
  array_list<std::int64_t> extent_;  // a plausible value of each symbol
  array_list<std::int64_t> bytes_;   // of each temporary
  array_list<int> readers_;          // groups that have still to read each node
  array_list<int> readers_at_first_;

  /// Sizes are compared as if every open extent were this.
  static constexpr std::int64_t typical_extent = 256;
  constexpr void estimate_extents() {
    for (const extent_symbol& s : g_.extents.symbols)
      extent_.push_back(s.kind < extent_kind::sum ? typical_extent : derived_extent(s, extent_.begin()));
  }
  constexpr std::int64_t bytes(int id) const {
    std::int64_t n = size_of(g_.nodes[id].type);
    for (int axis = 0; axis < g_.shape_of(id).rank; ++axis) n *= extent_value(g_.shape_of(id)[axis], extent_.begin());
    return n;
  }

  constexpr void find_members(const array_list<bool>& stored) {
    for (int id = 0; id < g_.size(); ++id) {
      const int k = fused_.group_of[id];
      if (k < 0) continue;
      members[k].push_back(id);
      if (stored[id]) bytes_[id] = bytes(id);
    }
    for (int id : g_.outputs) bytes_[id] = 0;  // memory of the caller
    for (int k = 0; k < groups_.size(); ++k)
      for (int id : members[k]) groups_[k].writes += bytes_[id];
  }
  constexpr void find_links() {
    readers_.resize(g_.size(), 0);
    array_list<int> last_reader(g_.size(), -1);                    // the last group seen to read a node
    array_list<array_list<int>> of_shared(g_.shared.size());       // groups that read each shared variable
    for (int k = 0; k < groups_.size(); ++k)
      for (int id : members[k]) note_operands(k, id, last_reader, of_shared);
    array_list<int> checked;  // groups that compute indices; new values are best written after these were looked at
    for (int id = 0; id < g_.size(); ++id) {
      const int k = g_.nodes[id].op->id == id_of<ops::index_check> ? fused_.group_of[fused_.views[g_.operand(id, 0)].base] : -1;
      if (k >= 0 && !checked.contains(k)) checked.push_back(k);
    }
    for (const update_entry& u : g_.updates) {
      const int k = fused_.group_of[u.source];
      for (int c : checked) {
        if (c == k) continue;
        groups_[c].frees_for.push_back(k);
        ++groups_[k].old_readers;
      }
      for (int reader : of_shared[u.target]) {
        if (reader == k) continue;
        groups_[reader].frees_for.push_back(k);
        ++groups_[k].old_readers;
      }
    }
    readers_at_first_ = readers_;
  }
  constexpr void note_operands(int k, int id, array_list<int>& last_reader, array_list<array_list<int>>& of_shared) {
    for (int i = 0; i < g_.nodes[id].count; ++i) {
      const int b = fused_.views[g_.operand(id, i)].base;
      if (fused_.inlined[b]) note_operands(k, b, last_reader, of_shared);
      if (last_reader[b] == k || fused_.group_of[b] == k) continue;
      last_reader[b] = k;
      if (g_.nodes[b].op->id == id_of<ops::shared>) of_shared[static_cast<int>(g_.nodes[b].attr.a)].push_back(k);
      if (fused_.group_of[b] < 0) continue;
      groups_[fused_.group_of[b]].dependents.push_back(k);
      ++groups_[k].missing;
      ++readers_[b];
      groups_[k].reads.push_back(b);
    }
  }

  /// Bytes in use after group `k` less those before.
  constexpr std::int64_t growth(int k) const {
    std::int64_t change = groups_[k].writes;
    for (int id : groups_[k].reads)
      if (readers_[id] == 1) change -= bytes_[id];
    return change;
  }
  constexpr void run() {
    array_list<int> ready;
    for (int k = 0; k < groups_.size(); ++k)
      if (groups_[k].missing == 0 && !members[k].empty()) ready.push_back(k);
    while (!ready.empty()) {
      const int at = choose(ready), k = ready[at];
      for (int i = at + 1; i < ready.size(); ++i) ready[i - 1] = ready[i];
      ready.pop_back();
      order.push_back(k);
      for (int id : groups_[k].reads) --readers_[id];
      for (int d : groups_[k].frees_for) --groups_[d].old_readers;
      for (int d : groups_[k].dependents)
        if (--groups_[d].missing == 0) ready.push_back(d);
    }
  }
  constexpr int choose(const array_list<int>& ready) const {
    int best = 0;
    bool best_waits = true;
    std::int64_t least = 0;
    for (int i = 0; i < ready.size(); ++i) {
      const bool waits = groups_[ready[i]].old_readers > 0;
      if (waits && !best_waits) continue;
      const std::int64_t change = growth(ready[i]);
      if (i > 0 && waits == best_waits && change >= least) continue;
      best = i;
      best_waits = waits;
      least = change;
    }
    return best;
  }

  /// Lets groups that leave more memory in use run just before their results are needed, if that lowers the peak.
  constexpr void delay() {
    const int count = order.size();
    array_list<int> position(groups_.size(), -1);
    for (int i = 0; i < count; ++i) position[order[i]] = i;
    array_list<int> last_reader(g_.size(), -1);
    for (int k : order)
      for (int id : groups_[k].reads) last_reader[id] = k;
    array_list<int> anchor(groups_.size(), 0);  // position of the group before which each one runs
    array_list<int> first_at(count, -1), next_at(count, -1);  // positions of the groups that run at each position, and after each
    for (int i = count - 1; i >= 0; --i) {
      const int k = order[i];
      anchor[k] = i;
      std::int64_t change = groups_[k].writes;
      for (int id : groups_[k].reads)
        if (last_reader[id] == k) change -= bytes_[id];
      int needed = count;
      for (int d : groups_[k].dependents)
        if (anchor[d] < needed) needed = anchor[d];
      for (int d : groups_[k].frees_for)
        if (position[d] > i && anchor[d] < needed) needed = anchor[d];
      if (change > 0 && needed < count) anchor[k] = needed;
    }
    for (int i = count - 1; i >= 0; --i) {
      const int at = anchor[order[i]];
      next_at[i] = first_at[at];
      first_at[at] = i;
    }
    array_list<int> delayed;
    delayed.reserve(count);
    for (int first : first_at)
      for (int i = first; i >= 0; i = next_at[i]) delayed.push_back(order[i]);
    if (peak(delayed) < peak(order)) order = delayed;
  }
  /// The most memory that temporaries take at a time; a fused kernel can write over operands that die with it.
  constexpr std::int64_t peak(const array_list<int>& in_order) const {
    array_list<int> left = readers_at_first_;
    std::int64_t used = 0, most = 0;
    for (int k : in_order) {
      std::int64_t freed = 0;
      for (int id : groups_[k].reads)
        if (--left[id] == 0) freed += bytes_[id];
      const std::int64_t writes = groups_[k].writes;
      const bool fused = fused_.groups[k].kind != group_kind::single;
      const std::int64_t during = used + (!fused ? writes : writes > freed ? writes - freed : 0);
      if (during > most) most = during;
      used += writes - freed;
    }
    return most;
  }
};

/// Fuses the nodes of `g`; the groups have no order yet.
template <int Nodes>
constexpr frozen_groups<Nodes> fuse_nodes(graph& g) {
  frozen_groups<Nodes> f;
  fusion fused(g);
  move_masks_to_readers(g, fused);
  for (int id = 0; id < Nodes; ++id) {
    f.group_of[id] = fused.group_of[id];
    f.role_of[id] = fused.role_of[id];
    f.inlined[id] = fused.inlined[id];
  }
  f.group_count = fused.groups.size();
  for (int k = 0; k < f.group_count; ++k) f.groups[k] = {fused.groups[k].kind, fused.groups[k].space, fused.groups[k].axes};
  return f;
}
/// Orders the groups of `g`.
template <int Nodes>
constexpr void order_groups(graph& g, frozen_groups<Nodes>& f) {
  const grouping fused(g, f);
  const group_order ordered(g, fused, nodes_in_memory(g, fused));
  f.order_count = ordered.order.size();
  for (int i = 0; i < f.order_count; ++i) f.order[i] = ordered.order[i];
}

}  // namespace kroton
