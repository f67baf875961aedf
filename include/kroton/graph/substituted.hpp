// This header copies what depends on some nodes, with others in their place.
//
//     %2 = mul(%0, %1), %3 = exp(%2), %5 in the place of %1  ->  %6 = mul(%0, %5), %7 = exp(%6), the copy of %3
//
// A loop whose body depends on them is copied whole, as a loop of its own: two loops have nothing in common. So are the
// gradients that somebody wrote for a value that is copied, because they read what it is computed from.
#pragma once

#include <kroton/graph/dependence.hpp>

namespace kroton::graph {

/// A node, and the one that takes its place; one that takes its own place stays what it is, whatever it depends on.
struct replacement {
  int from, to;
};

/// The attributes of the copy of a custom_gradient node: `renamed` are the copies of nodes, -1 for those that have
/// none.
constexpr custom_form copied_rule(graph& g, const attributes& attr, const array_list<int>& renamed) {
  custom_rule rule = g.custom_rules[custom_form::of(attr).number];
  const auto rename = [&](int& id) { id = renamed[id] >= 0 ? renamed[id] : id; };
  rename(rule.arriving);
  for (int& id : rule.gradients) rename(id);
  g.custom_rules.push_back(rule);
  return {g.custom_rules.size() - 1};
}

class substitution {
 public:
  constexpr substitution(graph& g, const array_list<replacement>& replacements, const array_list<int>& roots)
      : g_(g), replaced_by_(g.size(), -1) {
    loop_set around = g_.with_outer(g_.open_loop);  // those stay what they are
    for (const replacement& r : replacements) {
      around |= g_.nodes[r.from].loops;
      if (replaced_by_[r.from] < 0) replaced_by_[r.from] = r.to;
    }
    is_live_ = needed_nodes(
        g, roots, [&](int id) { return replaced_by_[id] >= 0; }, true);
    const int last = is_live_.size() - 1;
    renamed_.resize(last + 1, -1);
    find_what_changes(last, around);
    for (int id = 0; id <= last; ++id)
      if (is_live_[id]) renamed_[id] = changes_[id] ? copied(id) : id;
    for (const moved_loop& loop : loops_)  // a guard may have been recorded after what it guards
      if (const int guard = g_.guards[loop.from]; guard >= 0)
        g_.guards[loop.to] = guard <= last && renamed_[guard] >= 0 ? renamed_[guard] : guard;
  }
  /// The copy of a root, or of what it was made of.
  constexpr int operator[](int id) const { return renamed_[id]; }

 private:
  graph& g_;
  array_list<int> replaced_by_;  // of each node, -1: it has no replacement
  array_list<bool> is_live_, changes_;
  array_list<int> renamed_;
  struct moved_loop {
    int from, to;
  };
  array_list<moved_loop> loops_;
  loop_set copied_loops_ = 0;

  constexpr void find_what_changes(int last, loop_set around) {
    changes_.resize(last + 1, false);
    for (bool is_changed = true; is_changed;) {  // again where a loop is found that is copied
      is_changed = false;
      for (int id = 0; id <= last; ++id) {
        if (!is_live_[id] || changes_[id]) continue;
        const node& n = g_.nodes[id];
        const int other = replaced_by_[id];
        if (other == id) continue;
        bool changes = other >= 0 || (n.loops & copied_loops_) != 0;
        if (is_loop_result(n.op->kind))
          changes = changes || (set_of_loop(loop_row_form::loop_number(n.attr)) & copied_loops_) != 0;
        for (int i = 0; i < n.count && !changes; ++i) changes = changes_[g_.operand(id, i)];
        if (!changes) continue;
        changes_[id] = is_changed = true;
        copied_loops_ |= n.loops & ~around;
      }
    }
  }
  constexpr int moved(int loop) {
    if ((set_of_loop(loop) & copied_loops_) == 0) return loop;
    for (const moved_loop& m : loops_)
      if (m.from == loop) return m.to;
    const int outer = g_.loops[loop];
    const bool is_inner = outer >= 0 && (set_of_loop(outer) & copied_loops_) != 0;
    const int to = g_.new_loop_in(is_inner ? moved(outer) : g_.open_loop, g_.steps_back[loop]);
    loops_.push_back({loop, to});
    return to;
  }
  constexpr int copied(int id) {
    if (replaced_by_[id] >= 0) return replaced_by_[id];
    const node n = g_.nodes[id];
    attributes attr = n.attr;
    if (n.op->kind == op_kind::custom_gradient) attr = copied_rule(g_, attr, renamed_);
    if (n.op->kind >= op_kind::loop_row) attr = loop_row_form::in_loop(attr, moved(loop_row_form::loop_number(attr)));
    array_list<int> operands;
    for (int i = 0; i < n.count; ++i) operands.push_back(renamed_[g_.operand(id, i)]);
    return g_.add(n.op, n.type, n.shape, attr, operands.begin(), n.count);
  }
};

}  // namespace kroton::graph
