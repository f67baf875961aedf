// This pass makes the program of a laid-out graph: a buffer for each node in memory, and the steps of each group, in
// the order of the groups.
//
//     groups {exp sum div}, output %3  ->  buffers argument 0, output 0; step 0: rows over (batch, 8), 2 accesses
#pragma once

#include <kroton/passes/call_writer.hpp>
#include <kroton/passes/joined_steps.hpp>
#include <kroton/passes/kernel_writer.hpp>
#include <kroton/passes/order.hpp>

namespace kroton::passes {

class lowering {
 public:
  template <int Nodes>
  constexpr lowering(graph& g, const frozen_groups<Nodes>& groups, const view_map* views)
      : g_(g), fused_(groups, views), buffer_of_(g.size(), -1), first_step_(groups.group_count, -1) {}

  constexpr program_builder run() {
    make_buffers();
    array_list<array_list<int>> members(fused_.group_count);
    for (int id = 0, count = g_.size(); id < count; ++id)
      if (fused_.group_of[id] >= 0) members.items[fused_.group_of[id]].push_back(id);
    kernel_writer kernels(g_, fused_, buffer_of_, program_);
    call_writer calls(g_, fused_, buffer_of_, program_);
    for (int i = 0; i < fused_.order_count; ++i) {
      const int k = fused_.order[i];
      first_step_[k] = program_.steps.size();
      if (fused_.groups[k].kind == group_kind::single) calls.write(members[k][0]);
      else kernels.write(k, members[k]);
      const place_id place = g_.nodes[members[k][0]].place;
      for (int s = first_step_[k]; s < program_.steps.size(); ++s)
        program_.steps[s].place = place == anywhere ? at_home : place;
    }
    find_checks();
    const step_joining joined(g_.extents, program_);
    for (int& s : first_step_)
      if (s >= 0) s = joined.new_number(s);
    program_.extents = g_.extents;
    program_.places = at_home + 1;
    for (const buffer& b : program_.buffers)
      if (b.place >= program_.places) program_.places = b.place + 1;
    return program_;
  }

  /// The buffer that holds node `id`, -1 if none does; after `run`.
  constexpr int buffer_of(int id) const { return buffer_of_[id]; }
  /// The first step that computes node `id`, -1: none, or each that uses it; after `run`.
  constexpr int step_of(int id) const { return fused_.group_of[id] < 0 ? -1 : first_step_[fused_.group_of[id]]; }

 private:
  graph& g_;
  grouping fused_;
  program_builder program_;
  array_list<int> buffer_of_;   // of each node in memory
  array_list<int> first_step_;  // of each group

  constexpr void make_buffers() {
    array_list<int> of_shared(g_.shared.size(), -1);
    for (int id = 0, count = g_.size(); id < count; ++id) {
      if (!fused_.stored[id]) continue;
      const node& n = g_.nodes.items[id];
      buffer b{buffer_kind::temporary, 0, n.type, g_.extents.elements(g_.shape_of(id))};
      b.place = n.place == anywhere ? at_home : n.place;
      b.node = id;
      b.name = n.op->kind == op_kind::shared ? g_.shared[variable_form::of(n.attr).position].name : n.op->name;
      if (n.op->kind == op_kind::input || n.op->kind == op_kind::shared) {
        b.kind = n.op->kind == op_kind::input ? buffer_kind::input : buffer_kind::shared;
        b.index = variable_form::of(n.attr).position;
        if (b.kind == buffer_kind::input) b.argument = g_.inputs[b.index].name;
        if (b.kind == buffer_kind::shared) of_shared[b.index] = program_.buffers.size();
      }
      buffer_of_[id] = program_.buffers.size();
      program_.buffers.push_back(b);
    }
    for (int i = 0; i < g_.outputs.size(); ++i) {
      buffer& b = program_.buffers[buffer_of_[g_.outputs[i]]];
      b.kind = buffer_kind::output;
      b.index = i;
    }
    for (const update_entry& u : g_.updates) {
      if (of_shared[u.target] < 0) {
        const variable& v = g_.shared[u.target];
        of_shared[u.target] = program_.buffers.size();
        program_.buffers.push_back({buffer_kind::shared, u.target, v.type, g_.extents.elements(g_.shapes[v.shape])});
        program_.buffers.back().place = v.place;
        program_.buffers.back().name = v.name;
      }
      program_.writes.push_back({buffer_of_[u.source], of_shared[u.target]});
    }
  }
  constexpr void find_checks() {
    for (int id = 0, count = g_.size(); id < count; ++id) {
      const node& n = g_.nodes.items[id];
      if (n.op->id != id_of<ops::index_check>) continue;
      const view_map& v = fused_.views[g_.operand(id, 0)];
      if (buffer_of_[v.base] < 0) continue;  // a constant
      index_range_check check{{buffer_of_[v.base], v.offset, {}}, g_.shape_of(id), extent_form::of(n.attr).extent};
      for (int axis = 0; axis < check.extents.rank; ++axis) check.where.stride[axis] = v.stride[axis];
      program_.checks.push_back(check);
    }
  }
};

}  // namespace kroton::passes
