// This pass makes the program of a laid-out graph: a buffer for each node in memory, and the steps of each group, in
// the order of the groups.
//
//     groups {exp sum div}, output %3  ->  buffers argument 0, output 0; step 0: rows over (batch, 8), 2 accesses
#pragma once

#include <kroton/passes/call_writer.hpp>
#include <kroton/passes/joined_steps.hpp>
#include <kroton/passes/kernel_writer.hpp>
#include <kroton/passes/loop_end.hpp>
#include <kroton/passes/nested_order.hpp>
#include <kroton/passes/row_blocks.hpp>

namespace kroton::passes {

class lowering {
 public:
  template <int Nodes>
  constexpr lowering(graph& g, const frozen_groups<Nodes>& groups, const view_map* views)
      : g_(g), fused_(groups, views), memory_(g, fused_, program_), first_step_(groups.group_count, -1) {}

  constexpr program_builder run() {
    make_buffers();
    array_list<array_list<int>> members(fused_.group_count);
    for (int id = 0, count = g_.size(); id < count; ++id)
      if (fused_.group_of[id] >= 0) members.items[fused_.group_of[id]].push_back(id);
    kernel_writer kernels(g_, fused_, memory_, program_);
    call_writer calls(g_, fused_, memory_, program_);
    for (int i = 0; i < fused_.order_count; ++i) {
      const int k = fused_.order[i];
      if (loop_mark::is_mark(k)) {
        mark(loop_mark::of(k));
        continue;
      }
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
    for (loop_of_steps& loop : program_.loops) {  // whose steps stay side by side
      const int steps = loop.past - loop.first;
      if (steps > 0) loop.first = joined.new_number(loop.first);
      loop.past = loop.first + steps;
    }
    if (program_.loops.empty()) {
      const row_blocks blocked(program_);
      for (int& s : first_step_)
        if (s >= 0) s = blocked.new_number(s);
    }
    program_.extents = g_.extents;
    program_.places = at_home + 1;
    for (const buffer& b : program_.buffers)
      if (b.place >= program_.places) program_.places = b.place + 1;
    return program_;
  }

  /// The buffer that holds node `id`, -1 if none does; after `run`.
  constexpr int buffer_of(int id) const { return memory_.buffer_of[id]; }
  /// The first step that computes node `id`, -1: none, or each that uses it; after `run`.
  constexpr int step_of(int id) const { return fused_.group_of[id] < 0 ? -1 : first_step_[fused_.group_of[id]]; }

 private:
  graph& g_;
  grouping fused_;
  program_builder program_;
  node_memory memory_;
  array_list<int> first_step_;  // of each group

  constexpr void mark(const loop_mark& at) {
    if (at.is_end) {
      for (loop_of_steps& loop : program_.loops)
        if (loop.loop == at.loop) loop.past = program_.steps.size();
      return;
    }
    const int flag = loop_end(g_, fused_, at.loop).flag();
    program_.loops.push_back({at.loop, program_.steps.size(), 0, iterations_of(at.loop), guard_of_loop(at.loop),
                              flag < 0 ? access{} : scalar_of(flag)});
  }
  /// The access of a scalar that the host reads between steps.
  constexpr access scalar_of(int id) {
    const view_map& v = fused_.views[id];
    return {.buffer = memory_.buffer_of[v.base], .offset = memory_.offset_of(v), .move = memory_.move_of(v)};
  }
  constexpr access guard_of_loop(int loop) {
    for (const node& n : g_.nodes)
      if (is_result_of(n, loop))
        if (const int guard = guard_of(g_, n); guard >= 0) return scalar_of(guard);
    return {};
  }
  constexpr extent_code iterations_of(int loop) const {
    for (const node& n : g_.nodes)
      if (is_result_of(n, loop)) return loop_result_form::of(n.attr).iterations;
    return 0;
  }
  /// Makes the buffer of a node, for so many of its values.
  constexpr int make_buffer(int id, int values) {
    const node& n = g_.nodes.items[id];
    buffer b{buffer_kind::temporary, 0, n.type, g_.extents.multiply(g_.extents.elements(g_.shape_of(id)), values)};
    b.place = n.place == anywhere ? at_home : n.place;
    b.node = id;
    b.name = n.op->name;
    b.body = body_of(n.loops);
    if (memory_.is_kept(id)) b.body = g_.loops[b.body];
    program_.buffers.push_back(b);
    return program_.buffers.size() - 1;
  }
  constexpr void make_buffers() {
    array_list<int> of_shared(g_.shared.size(), -1);
    for (int id = 0, count = g_.size(); id < count; ++id) {
      if (!fused_.stored[id]) continue;
      if (memory_.is_kept(id) || memory_.is_part(id)) continue;
      const node& n = g_.nodes.items[id];
      const int made = make_buffer(id, 1);
      memory_.buffer_of[id] = made;
      buffer& b = program_.buffers[made];
      if (n.op->kind == op_kind::shared) b.name = g_.shared[variable_form::of(n.attr).position].name;
      if (n.op->kind == op_kind::input || n.op->kind == op_kind::shared) {
        b.kind = n.op->kind == op_kind::input ? buffer_kind::input : buffer_kind::shared;
        b.index = variable_form::of(n.attr).position;
        if (b.kind == buffer_kind::input) b.argument = g_.inputs[b.index].name;
        b.is_placed = b.kind == buffer_kind::input && g_.inputs[b.index].is_placed;
        if (b.kind == buffer_kind::shared) of_shared[b.index] = made;
      }
    }
    memory_.place([this](int id, int values) { return make_buffer(id, values); });
    for (int i = 0; i < g_.outputs.size(); ++i) {
      buffer& b = program_.buffers[memory_.buffer_of[g_.outputs[i]]];
      b.kind = buffer_kind::output;
      b.index = i;
      b.is_placed = g_.place_of_output(i) != anywhere;
    }
    for (const update_entry& u : g_.updates) {
      if (of_shared[u.target] < 0) {
        const variable& v = g_.shared[u.target];
        of_shared[u.target] = program_.buffers.size();
        program_.buffers.push_back({buffer_kind::shared, u.target, v.type, g_.extents.elements(g_.shapes[v.shape])});
        program_.buffers.back().place = v.place;
        program_.buffers.back().name = v.name;
      }
      program_.writes.push_back({memory_.buffer_of[u.source], of_shared[u.target]});
    }
  }
  /// Lets a check look at the rows that all iterations see.
  constexpr void check_rows(index_range_check& check, int motion) {
    for (; motion >= 0; motion = g_.extents.motions[motion].outer) {
      const loop_motion m = g_.extents.motions[motion];
      const extent_code rows = iterations_of(m.loop);
      if (m.goes_back)
        check.where.offset =
            g_.extents.subtract(check.where.offset, g_.extents.multiply(g_.extents.subtract(rows, 1), m.stride));
      for (int axis = check.extents.rank; axis > 0; --axis) {
        check.extents[axis] = check.extents[axis - 1];
        check.where.stride[axis] = check.where.stride[axis - 1];
      }
      check.extents[0] = rows;
      check.where.stride[0] = m.stride;
      ++check.extents.rank;
    }
  }
  constexpr void find_checks() {
    for (int id = 0, count = g_.size(); id < count; ++id) {
      const node& n = g_.nodes.items[id];
      if (n.op->id != id_of<ops::index_check>) continue;
      const view_map& v = fused_.views[g_.operand(id, 0)];
      const int buffer = memory_.buffer_of[v.base];
      if (buffer < 0) continue;  // a constant
      index_range_check check{{buffer, memory_.offset_of(v), {}}, g_.shape_of(id), extent_form::of(n.attr).extent};
      for (int axis = 0; axis < check.extents.rank; ++axis) check.where.stride[axis] = v.stride[axis];
      check_rows(check, v.motion);
      check.where.move = memory_.move_of(view_map{v.base, 0, {}, -1});
      program_.checks.push_back(check);
    }
  }
};

}  // namespace kroton::passes
