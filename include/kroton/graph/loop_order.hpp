// This header knows of each node which loops run after it and which before it. All iterations of a loop run before
// anything that follows, so nodes of one group must not be on both sides of a loop.
//
//     %1 = exp(%0), loop 0 reads %1 and makes %9, %10 = exp(%9)  ->  %1 is before loop 0, %10 after it
//       so exp(%0) and exp(%9) are two kernels
#pragma once

#include <kroton/graph/dependence.hpp>

namespace kroton::graph {

/// The loops that need a node, or a group, and those that it needs. The loops that it is in count as neither.
struct loop_sides {
  loop_set needed_by = 0, needs = 0;

  constexpr loop_sides operator|(const loop_sides& other) const {
    return {needed_by | other.needed_by, needs | other.needs};
  }
  /// Whether there is a time at which it can run.
  constexpr bool is_possible() const { return (needed_by & needs) == 0; }
};

/// Calls `use` with each of some loops.
constexpr void for_each_loop(loop_set loops, auto use) {
  for (; loops != 0; loops &= loops - 1) use(std::countr_zero(loops));
}

/// Finds for each node, and for each loop as a whole, which loops it needs and which need it. What is computed for
/// nothing may mix loops that do not need each other, and so it is left out where there is such.
class loop_order {
 public:
  constexpr explicit loop_order(const graph& g)
      : loop_order(g, array_list<bool>(g.loops.empty() ? 0 : g.size(), true)) {}
  constexpr loop_order(const graph& g, const array_list<bool>& is_needed) : graph_(g), of_loop_(g.loops.size()) {
    if (g.loops.empty()) return;
    of_.resize(g.size(), {});
    const int count = is_needed.size();
    do {
      is_settled_ = true;
      for (int id = 0; id < count; ++id)
        if (is_needed[id]) find_needs(id);
      for (int id = count - 1; id >= 0; --id)
        if (is_needed[id]) find_readers(id);
    } while (!is_settled_);
  }
  constexpr loop_sides operator[](int id) const { return of_.empty() ? loop_sides{} : of_.items[id]; }
  constexpr const loop_sides& of_loop(int loop) const { return of_loop_[loop]; }

 private:
  const graph& graph_;
  array_list<loop_sides> of_;       // of each node; empty: there are no loops
  array_list<loop_sides> of_loop_;  // of each loop as a whole
  bool is_settled_ = true;          // whether the last round has found nothing new

  constexpr void add(loop_set& to, loop_set more) {
    if ((to | more) != to) is_settled_ = false;
    to |= more;
  }
  constexpr void find_needs(int id) {
    const node& n = graph_.nodes.items[id];
    loop_sides& mine = of_.items[id];
    for (int i = 0; i < n.count; ++i) mine.needs |= of_.items[graph_.operand(id, i)].needs;
    if (is_loop_result(n.op->kind)) {
      const int loop = loop_row_form::loop_number(n.attr);
      mine.needs |= set_of_loop(loop) | of_loop_[loop].needs;
    }
    for_each_loop(n.loops, [&](int loop) { add(of_loop_[loop].needs, mine.needs & ~n.loops); });
  }
  constexpr void find_readers(int id) {
    const node& n = graph_.nodes.items[id];
    const loop_sides mine = of_.items[id];
    for (int i = 0; i < n.count; ++i) {
      const int x = graph_.operand(id, i);
      loop_set& readers = of_.items[x].needed_by;
      readers |= mine.needed_by;
      for_each_loop(n.loops & ~graph_.nodes.items[x].loops,
                    [&](int loop) { readers |= set_of_loop(loop) | of_loop_[loop].needed_by; });
    }
    if (is_loop_result(n.op->kind)) add(of_loop_[loop_row_form::loop_number(n.attr)].needed_by, mine.needed_by);
  }
};

/// Orders the nodes up to one, which needs them, so that each follows its operands, and the body of each loop is
/// together: what the loop needs, the body, the results, what needs them.
class node_ordering {
 public:
  /// Without loops, the position of a node is its number.
  static constexpr node_positions run(const graph& g, int last) {
    node_positions made;
    if (g.loops.empty()) return made;
    const loop_order sides(g, needed_nodes(g, last));
    const array_list<int> rank = ranks(g, sides);
    array_list<key> keys;
    for (int id = 0; id <= last; ++id) keys.push_back({key_of(g, sides, rank, id), id});
    sort(keys);
    made.position.resize(last + 1, 0);
    for (const key& k : keys) {
      made.position[k.node] = made.node.size();
      made.node.push_back(k.node);
    }
    return made;
  }

 private:
  struct key {
    std::uint64_t where;
    int node;
    constexpr bool operator<(const key& other) const {
      return where != other.where ? where < other.where : node < other.node;
    }
  };

  /// The number of each loop among those in the same body, in an order in which they can run; from 1 on.
  static constexpr array_list<int> ranks(const graph& g, const loop_order& sides) {
    array_list<int> rank(g.loops.size(), 0);
    for (int loop = 0; loop < g.loops.size(); ++loop)
      for (int other = 0; other < g.loops.size(); ++other)
        if (g.loops[other] == g.loops[loop]) {
          const loop_set needs = sides.of_loop(loop).needs, of_other = sides.of_loop(other).needs;
          const int mine = std::popcount(needs), theirs = std::popcount(of_other);
          rank[loop] += theirs < mine || (theirs == mine && other <= loop);
        }
    return rank;
  }
  /// A number that is less for what comes earlier: for each body around the node, from the outermost, twice the rank of
  /// the last loop there that it needs, or of that which it is in, less 1.
  static constexpr std::uint64_t key_of(const graph& g, const loop_order& sides, const array_list<int>& rank, int id) {
    const loop_set in = g.nodes[id].loops;
    std::uint64_t where = 0;
    int body = -1, level = 0;
    for (bool inside = true; inside; ++level) {
      inside = false;
      int here = 0;
      for_each_loop(in | sides[id].needs, [&](int loop) {
        if (g.loops[loop] != body) return;
        const bool is_in = (in & set_of_loop(loop)) != 0;
        if (is_in) here = 2 * rank[loop] - 1, inside = true;
        else if (!inside && here < 2 * rank[loop]) here = 2 * rank[loop];
      });
      if (level < 8) where |= static_cast<std::uint64_t>(here) << (56 - 8 * level);
      if (inside)
        for_each_loop(in, [&](int loop) {
          if (g.loops[loop] == body && here == 2 * rank[loop] - 1) body = loop, here = -1;
        });
    }
    const bool follows = level < 8 && !is_loop_result(g.nodes[id].op->kind);  // results come right after the body
    return follows ? where | std::uint64_t{1} << (56 - 8 * level) : where;
  }
  /// Merges runs of 1, 2, 4, ... keys.
  static constexpr void sort(array_list<key>& keys) {
    array_list<key> other = keys;
    const int count = keys.size();
    for (int run = 1; run < count; run *= 2) {
      for (int first = 0; first < count; first += 2 * run) {
        const int middle = first + run < count ? first + run : count,
                  past = first + 2 * run < count ? first + 2 * run : count;
        for (int i = first, j = middle, to = first; to < past; ++to)
          other[to] = j == past || (i < middle && !(keys[j] < keys[i])) ? keys[i++] : keys[j++];
      }
      keys = other;
    }
  }
};

/// The loop in whose body a group or node runs, -1: none.
constexpr int body_of(loop_set loops) { return loops == 0 ? -1 : innermost(loops); }

}  // namespace kroton::graph
