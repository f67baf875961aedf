// This pass joins the steps that only compute new values of shared variables, such as the updates of an optimiser, if
// they run the same map over contiguous tensors. A joined step is one launch. It runs over its segments, which are
// these tensors, one after the other.
//
//     step 7: map over (10): new b = ..., step 9: map over (64, 10): new W = ..., both of one kernel
//       ->  step 8: map over (650), 2 segments of 10 and 640 elements; it runs when both gradients are there
#pragma once

#include <kroton/passes/program.hpp>

namespace kroton::passes {

/// The most segments of a step with this many accesses: their addresses are arguments of a kernel on a device, which
/// takes 32,764 bytes of arguments.
constexpr int most_segments(int accesses) {
  constexpr int bytes = 24 * 1024, address = 8;
  return bytes / (address * (accesses + 2));
}

class step_joining {
 public:
  constexpr step_joining(extent_table& extents, program_builder& p)
      : p_(p), extents_(extents), new_number_(p.steps.size(), -1) {
    find_new_values();
    find_classes();
    if (joined_ == 0) return;
    for (int s = 0; s < p_.steps.size(); ++s)
      if (!is_joined(s) && !is_late(s)) keep(s);
    for (const array_list<int>& members : classes_)
      if (members.size() > 1) join(members);
    for (int s = 0; s < p_.steps.size(); ++s)
      if (!is_joined(s) && is_late(s)) keep(s);
    p_.steps = made_.steps;
    p_.accesses = made_.accesses;
    p_.instructions = made_.instructions;
    p_.parameters = made_.parameters;
  }
  /// The number that a step has now.
  constexpr int new_number(int s) const { return joined_ == 0 ? s : new_number_[s]; }

 private:
  program_builder& p_;
  program_builder made_;
  extent_table& extents_;
  array_list<int> old_value_;            // of each buffer: that of the old value, if nothing else needs the new; or -1
  array_list<array_list<int>> classes_;  // steps of one kernel that may be one step
  array_list<int> class_of_;             // of each step, -1: none
  array_list<bool> is_read_;             // of each buffer, by joined steps
  array_list<int> new_number_;
  int joined_ = 0;

  constexpr bool is_joined(int s) const { return class_of_[s] >= 0 && classes_[class_of_[s]].size() > 1; }

  /// Finds the buffers of new values that one step writes, and no other reads.
  constexpr void find_new_values() {
    array_list<int> uses(p_.buffers.size(), 0);
    for (const step& s : p_.steps)
      for (int a = s.first_access; a < s.first_access + s.accesses; ++a)
        if (const access& x = p_.accesses[a]; x.buffer >= 0)
          uses[x.buffer] += x.move < 0 ? 1 : 2;  // or more, in a loop
    for (const index_range_check& check : p_.checks) ++uses[check.where.buffer];
    old_value_.resize(p_.buffers.size(), -1);
    for (const write_back& w : p_.writes)
      if (uses[w.from] == 1 && p_.buffers[w.from].kind == buffer_kind::temporary) old_value_[w.from] = w.to;
  }
  /// Calls `use` with the buffer of each store of a map until it returns false; returns whether it never did.
  constexpr bool each_store(const step& s, auto use) const {
    for (int i = s.first_instruction; i < s.first_instruction + s.instructions; ++i)
      if (p_.instructions[i].kind == instruction_kind::store)
        if (!use(p_.accesses[s.first_access + p_.instructions[i].access()].buffer)) return false;
    return true;
  }
  constexpr bool makes_new_values(const step& s) const {
    return s.kind == step_kind::map && each_store(s, [&](int buffer) { return old_value_[buffer] >= 0; });
  }
  /// Whether every access reads or writes contiguous elements, or one element alone.
  constexpr bool is_contiguous(const step& s) const {
    for (int a = s.first_access; a < s.first_access + s.accesses; ++a) {
      const access& x = p_.accesses[a];
      if (x.buffer < 0) return false;
      const int last = s.space.rank - 1;
      extent_code stride = last < 0 ? 0 : x.stride[last];
      if (stride != 0 && stride != 1) return false;
      for (int axis = last; axis >= 0; --axis) {
        if (x.stride[axis] != stride) return false;
        stride = extents_.multiply(stride, s.space[axis]);
      }
    }
    return true;
  }
  constexpr bool is_alike(const step& x, const step& y) const {
    if (x.place != y.place || x.parameters != y.parameters || x.accesses != y.accesses ||
        !same_kernel(p_.instructions.items, x, y))
      return false;
    for (int i = 0; i < x.parameters; ++i)
      if (p_.parameters[x.first_parameter + i] != p_.parameters[y.first_parameter + i]) return false;
    return true;
  }
  constexpr void find_classes() {
    class_of_.resize(p_.steps.size(), -1);
    for (int s = 0; s < p_.steps.size(); ++s) {
      const step& mine = p_.steps[s];
      if (!makes_new_values(mine) || !is_contiguous(mine)) continue;
      int k = 0;
      while (k < classes_.size() &&
             (classes_[k].size() == most_segments(mine.accesses) || !is_alike(p_.steps[classes_[k][0]], mine)))
        ++k;
      if (k == classes_.size()) classes_.push_back({});
      classes_[k].push_back(s);
      class_of_[s] = k;
      joined_ += classes_[k].size() > 1;
    }
    is_read_.resize(p_.buffers.size(), false);
    for (int s = 0; s < p_.steps.size(); ++s)
      if (is_joined(s))
        for (int a = 0; a < p_.steps[s].accesses; ++a)
          is_read_[p_.accesses[p_.steps[s].first_access + a].buffer] = true;
  }
  /// Whether a step writes new values of what joined steps read: it runs after them, so that it can write in place.
  constexpr bool is_late(int s) const {
    return makes_new_values(p_.steps[s]) &&
           !each_store(p_.steps[s], [&](int buffer) { return !is_read_[old_value_[buffer]]; });
  }

  /// Begins a step that has the instructions and parameters of `s`.
  constexpr step begin(step s) {
    const int instructions = made_.instructions.size(), parameters = made_.parameters.size();
    made_.instructions.append(p_.instructions.items + s.first_instruction, s.instructions);
    made_.parameters.append(p_.parameters.items + s.first_parameter, s.parameters);
    s.first_instruction = instructions;
    s.first_parameter = parameters;
    return s;
  }
  constexpr void keep(int s) {
    step kept = begin(p_.steps[s]);
    const int accesses = made_.accesses.size();
    made_.accesses.append(p_.accesses.items + kept.first_access, kept.accesses);
    kept.first_access = accesses;
    new_number_[s] = made_.steps.size();
    made_.steps.push_back(kept);
  }
  /// The parameters of the joined step are followed by the number of elements of each segment.
  constexpr void join(const array_list<int>& members) {
    step all = begin(p_.steps[members[0]]);
    all.segments = members.size();
    all.first_access = made_.accesses.size();
    extent_code elements = 0;
    for (int s : members) {
      const step& segment = p_.steps[s];
      const extent_code count = extents_.elements(segment.space);
      made_.parameters.push_back(count);
      elements = extents_.add(elements, count);
      for (int i = 0; i < segment.accesses; ++i) {
        const access& x = p_.accesses[segment.first_access + i];
        access flat{x.buffer, x.offset, {}};
        if (segment.space.rank > 0) flat.stride[0] = x.stride[segment.space.rank - 1];
        made_.accesses.push_back(flat);
      }
      new_number_[s] = made_.steps.size();
    }
    all.space = {};
    all.space.append(elements);
    all.accesses = made_.accesses.size() - all.first_access;
    all.parameters = made_.parameters.size() - all.first_parameter;
    made_.steps.push_back(all);
  }
};

}  // namespace kroton::passes
