// This pass orders the groups of a function so that few bytes are in use at a time. Of the groups that can run, the one
// that frees most runs next; see ready_groups.hpp.
//
//     a = f(x), b = g(x), c = h(a), d = k(b), each large  ->  f, h, g, k rather than f, g, h, k
#pragma once

#include <kroton/passes/carried_in_place.hpp>
#include <kroton/passes/ready_groups.hpp>

namespace kroton::passes {

/// Whether a node's value is known without memory: a number, an extent, an index, or cheap arithmetic on scalars that
/// is repeated where it is used.
constexpr bool is_free(const graph& g, const grouping& fused, int id) {
  const op_kind kind = g.nodes.items[id].op->kind;
  return kind == op_kind::constant || kind == op_kind::extent || kind == op_kind::iota || fused.inlined[id];
}

/// The nodes whose values lie in memory: arguments and shared variables that are read, results, and what one group
/// computes and another reads.
constexpr array_list<bool> nodes_in_memory(const graph& g, const grouping& fused) {
  const int count = g.size();
  array_list<bool> stored(count, false);
  for (int id : g.outputs) stored[id] = true;
  for (const update_entry& u : g.updates) stored[u.source] = true;
  const node* nodes = g.nodes.items;
  const int* operands = g.operands.items;
  const int* group_of = fused.group_of;
  for (int id = 0; id < count; ++id) {
    const node& n = nodes[id];
    const int k = group_of[id];
    // indices are looked at before they are used, and a loop begins with what its variables are then
    const bool needs_memory = n.op->id == id_of<ops::index_check> || n.op->kind == op_kind::loop_carried;
    if (k < 0 && !fused.inlined[id] && !needs_memory) continue;
    for (int i = n.first, past = i + n.count; i < past; ++i) {
      const int b = fused.views[operands[i]].base, from = group_of[b];
      if ((from < 0 || from != k) && !is_free(g, fused, b)) stored.items[b] = true;
    }
  }
  return stored;
}

/// Orders groups one by one: of those whose operands are there, the one that leaves the least memory in use runs next.
/// A group that writes a new value waits, where possible, for the readers of the old one, so that it can write in
/// place.
class group_order {
 public:
  array_list<int> order;                ///< groups
  array_list<array_list<int>> members;  ///< nodes of each group

  constexpr group_order(const graph& g, const grouping& fused)
      : members(fused.group_count), g_(g), fused_(fused), groups_(fused.group_count), bytes_(g.size(), 0) {
    estimate_extents();
    find_members();
    find_links();
    run();
    delay();
  }

 private:
  /// The facts about a group that the choice needs.
  struct facts {
    array_list<int> dependents;  ///< groups that need it
    array_list<int> frees_for;   ///< groups that write in place once this and others have read
    array_list<int> reads;       ///< temporaries that it reads, once each
    int missing = 0;             ///< groups that it needs and that have not run
    int old_readers = 0;         ///< groups that still read what it would overwrite
    std::int64_t writes = 0;     ///< bytes of temporaries that it makes
    std::int64_t change = 0;     ///< bytes in use after it less those before, if it ran now
  };
  const graph& g_;
  const grouping& fused_;
  array_list<facts> groups_;
  array_list<std::int64_t> extent_;         // a plausible value of each symbol
  array_list<std::int64_t> bytes_;          // of each temporary
  array_list<int> readers_;                 // groups that have still to read each node
  array_list<array_list<int>> of_carried_;  // groups that read each value of a carried variable
  array_list<int> readers_at_first_;

  /// Sizes are compared as if every open extent were this.
  static constexpr std::int64_t typical_extent = 256;
  constexpr void estimate_extents() {
    for (const extent_symbol& s : g_.extents.symbols)
      extent_.push_back(!is_derived(s.kind) ? typical_extent : derived_extent(s, extent_.begin()));
  }
  /// Elements of each shape.
  constexpr array_list<std::int64_t> estimated_elements() const {
    array_list<std::int64_t> elements;
    for (const shape& s : g_.shapes) {
      std::int64_t n = 1;
      for (int axis = 0; axis < s.rank; ++axis) n *= extent_value(s.extent[axis], extent_.items);
      elements.push_back(n);
    }
    return elements;
  }

  constexpr void find_members() {
    const array_list<std::int64_t> elements = estimated_elements();
    const node* nodes = g_.nodes.items;
    for (int id = 0, count = g_.size(); id < count; ++id) {
      const int k = fused_.group_of[id];
      if (k < 0) continue;
      members.items[k].push_back(id);
      if (fused_.stored[id]) bytes_.items[id] = size_of(nodes[id].type) * elements.items[nodes[id].shape];
    }
    for (int id : g_.outputs) bytes_[id] = 0;  // memory of the caller
    for (int k = 0; k < groups_.size(); ++k)
      for (int id : members.items[k]) groups_.items[k].writes += bytes_.items[id];
  }
  constexpr void find_links() {
    readers_.resize(g_.size(), 0);
    array_list<int> last_reader(g_.size(), -1);               // the last group seen to read a node
    array_list<array_list<int>> of_shared(g_.shared.size());  // groups that read each shared variable
    of_carried_.resize(g_.loops.empty() ? 0 : g_.size(), {});
    for (int k = 0; k < groups_.size(); ++k)
      for (int id : members.items[k]) note_operands(k, id, last_reader.items, of_shared);
    for (int id = 0; id < of_carried_.size(); ++id) wait_for_readers_of_table(id);
    sum_after_products();
    array_list<int> checked;  // groups that compute indices; new values are best written after these were looked at
    const node* nodes = g_.nodes.items;
    for (int id = 0, count = g_.size(); id < count; ++id) {
      if (nodes[id].op->id != id_of<ops::index_check>) continue;
      const int k = fused_.group_of[fused_.views[g_.operand(id, 0)].base];
      if (k >= 0 && !checked.contains(k)) checked.push_back(k);
    }
    for (const update_entry& u : g_.updates) {
      const int k = fused_.group_of[u.source];
      if (k < 0) continue;  // outside the loop whose body is being ordered
      for (int c : checked) wait(k, c);
      for (int reader : of_shared[u.target]) wait(k, reader);
    }
    readers_at_first_ = readers_;
  }
  /// Group `k` had better run after group `reader`.
  constexpr void wait(int k, int reader) {
    if (reader == k) return;
    groups_[reader].frees_for.push_back(k);
    ++groups_[k].old_readers;
  }
  /// Lets a group that sums the columns of a matrix, and reads no other, run after a product whose second factor is
  /// that matrix, so that the epilogue of the product can do the work of the group, see epilogue.hpp.
  constexpr void sum_after_products() {
    array_list<int> sums_of(g_.size(), -1);
    bool is_there = false;
    for (int k = 0; k < groups_.size(); ++k)
      if (fused_.groups[k].kind == group_kind::over_columns && groups_[k].reads.size() == 1)
        sums_of[groups_[k].reads[0]] = k, is_there = true;
    for (int id = 0; is_there && id < g_.size(); ++id) {
      const node& n = g_.nodes[id];
      if (n.op->kind != op_kind::dot || g_.shape_of(id).rank != 2 || fused_.group_of[id] < 0) continue;
      const view_map& y = fused_.views[g_.operand(id, 1)];
      if (const int k = sums_of[y.base]; k >= 0 && y.stride[1] == 1) wait(k, fused_.group_of[id]);
    }
  }
  /// Lets the group that changes a carried variable, if node `id` does, wait for those that read it.
  constexpr void wait_for_readers_of_table(int id) {
    const node& n = g_.nodes[id];
    for (int i = 0; i < n.count && fused_.group_of[id] >= 0; ++i)
      if (changes_operand(n, i))
        for (int reader : of_carried_[fused_.views[g_.operand(id, i)].base]) wait(fused_.group_of[id], reader);
  }
  constexpr void note_operands(int k, int id, int* last_reader, array_list<array_list<int>>& of_shared) {
    const node* nodes = g_.nodes.items;
    const int* operands = g_.operands.items;
    for (int i = nodes[id].first, past = i + nodes[id].count; i < past; ++i) {
      const int b = fused_.views[operands[i]].base, from = fused_.group_of[b];
      if (nodes[b].op->kind == op_kind::loop_carried) of_carried_[b].push_back(k);
      if ((fused_.inlined[b] && from != k) || nodes[b].op->kind == op_kind::loop_carried) {
        note_operands(k, b, last_reader, of_shared);
        continue;
      }
      if (last_reader[b] == k || from == k) continue;
      last_reader[b] = k;
      if (nodes[b].op->id == id_of<ops::shared>) of_shared[variable_form::of(nodes[b].attr).position].push_back(k);
      if (from < 0) continue;
      groups_.items[from].dependents.push_back(k);
      ++groups_.items[k].missing;
      ++readers_.items[b];
      groups_.items[k].reads.push_back(b);
    }
  }

  constexpr void run() {
    const int count = groups_.size();
    facts* groups = groups_.items;
    int* readers = readers_.items;
    array_list<int> remaining(g_.size(),
                              0);  // the sum of the groups that have still to read each node: of one, that group
    for (int k = 0; k < count; ++k)
      for (int id : groups[k].reads) remaining.items[id] += k;
    for (int k = 0; k < count; ++k) {
      groups[k].change = groups[k].writes;
      for (int id : groups[k].reads)
        if (readers[id] == 1) groups[k].change -= bytes_.items[id];
    }
    ready_groups ready(count);
    const auto put = [&](int k) { ready.put(k, groups[k].old_readers > 0, groups[k].change); };
    for (int k = 0; k < count; ++k)
      if (groups[k].missing == 0 && !members[k].empty()) put(k);
    order.reserve(count);
    for (int k = ready.take(); k >= 0; k = ready.take()) {
      order.push_back(k);
      for (int id : groups[k].reads) {
        remaining.items[id] -= k;
        if (--readers[id] != 1) continue;
        const int last = remaining.items[id];  // frees the node's memory
        groups[last].change -= bytes_.items[id];
        if (ready.is_ready(last)) put(last);
      }
      for (int d : groups[k].frees_for)
        if (--groups[d].old_readers == 0 && ready.is_ready(d)) put(d);
      for (int d : groups[k].dependents)
        if (--groups[d].missing == 0) put(d);
    }
  }

  /// Lets groups that leave more memory in use run just before their results are needed, if that lowers the peak.
  constexpr void delay() {
    const int count = order.size();
    const facts* groups = groups_.items;
    array_list<int> position(groups_.size(), -1);
    for (int i = 0; i < count; ++i) position.items[order.items[i]] = i;
    array_list<int> last_reader(g_.size(), -1);
    for (int k : order)
      for (int id : groups[k].reads) last_reader.items[id] = k;
    array_list<int> anchor(groups_.size(), 0);  // position of the group before which each one runs
    array_list<int> first_at(count, -1),
        next_at(count, -1);  // positions of the groups that run at each position, and after each
    bool is_delayed = false;
    for (int i = count - 1; i >= 0; --i) {
      const int k = order.items[i];
      anchor.items[k] = i;
      std::int64_t change = groups[k].writes;
      for (int id : groups[k].reads)
        if (last_reader.items[id] == k) change -= bytes_.items[id];
      if (change <= 0) continue;
      int needed = count;
      for (int d : groups[k].dependents)
        if (anchor.items[d] < needed) needed = anchor.items[d];
      for (int d : groups[k].frees_for)
        if (position.items[d] > i && anchor.items[d] < needed) needed = anchor.items[d];
      if (needed == count) continue;
      anchor.items[k] = needed;
      is_delayed = is_delayed || needed != i + 1;
    }
    if (!is_delayed) return;
    for (int i = count - 1; i >= 0; --i) {
      const int at = anchor.items[order.items[i]];
      next_at.items[i] = first_at.items[at];
      first_at.items[at] = i;
    }
    array_list<int> delayed;
    delayed.reserve(count);
    for (int first : first_at)
      for (int i = first; i >= 0; i = next_at.items[i]) delayed.push_back(order.items[i]);
    if (peak(delayed) < peak(order)) order = delayed;
  }
  /// The most memory that temporaries take at a time; a fused kernel can write over operands that die with it.
  constexpr std::int64_t peak(const array_list<int>& in_order) const {
    array_list<int> left = readers_at_first_;
    std::int64_t used = 0, most = 0;
    for (int k : in_order) {
      std::int64_t freed = 0;
      for (int id : groups_.items[k].reads)
        if (--left.items[id] == 0) freed += bytes_.items[id];
      const std::int64_t writes = groups_.items[k].writes;
      const bool fused = fused_.groups[k].kind != group_kind::single;
      const std::int64_t during = used + (!fused ? writes : writes > freed ? writes - freed : 0);
      if (during > most) most = during;
      used += writes - freed;
    }
    return most;
  }
};

}  // namespace kroton::passes
