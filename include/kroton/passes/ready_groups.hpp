// This header has the queue of groups that may run next, the best first.
//
//     put(0, waits, 0), put(1, does not wait, +64), put(2, does not wait, -32)  ->  2, 1, 0
//
// A group comes before another if it does not wait for a reader of what it overwrites; then if fewer bytes are in use
// after it; then if it was ready first. A group that became better is put in again, and its old entry is passed over.
#pragma once

#include <kroton/graph/array.hpp>
#include <kroton/namespaces.hpp>

namespace kroton::passes {

class ready_groups {
 public:
  constexpr explicit ready_groups(int groups) : turn_(groups, -1), taken_(groups, false) {}

  constexpr bool is_ready(int k) const { return turn_.items[k] >= 0 && !taken_.items[k]; }
  /// Group `k` can run, or can run at a lower cost than before. `waits`: somebody has still to read what it overwrites.
  /// `change`: bytes in use after it less those before.
  constexpr void put(int k, bool waits, std::int64_t change) {
    if (turn_.items[k] < 0) turn_.items[k] = turns_++;
    int at = heap_.size();
    const entry mine{waits, change, turn_.items[k], k};
    heap_.push_back(mine);
    entry* heap = heap_.items;
    for (; at > 0 && before(mine, heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = mine;
  }
  /// Takes the best group out of the ready ones; -1: no group is ready.
  constexpr int take() {
    while (!heap_.empty()) {
      const int k = heap_.items[0].group;
      remove_first();
      if (taken_.items[k]) continue;
      taken_.items[k] = true;
      return k;
    }
    return -1;
  }

 private:
  struct entry {
    bool waits = false;
    std::int64_t change = 0;
    int turn = 0, group = 0;
  };
  array_list<entry> heap_;  // no entry is before that at half its position
  array_list<int> turn_;    // when each group became ready, -1: not yet
  array_list<bool> taken_;
  int turns_ = 0;

  static constexpr bool before(const entry& x, const entry& y) {
    return x.waits != y.waits ? y.waits : x.change != y.change ? x.change < y.change : x.turn < y.turn;
  }
  constexpr void remove_first() {
    const entry last = heap_.back();
    heap_.pop_back();
    const int count = heap_.size();
    entry* heap = heap_.items;
    int at = 0;
    for (int next = 1; next < count; next = 2 * at + 1) {
      if (next + 1 < count && before(heap[next + 1], heap[next])) ++next;
      if (!before(heap[next], last)) break;
      heap[at] = heap[next];
      at = next;
    }
    if (count > 0) heap[at] = last;
  }
};

}  // namespace kroton::passes
