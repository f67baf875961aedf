// Turns a laid-out graph and its fusion groups into a program.
#pragma once

#include <kroton/passes/call_writer.hpp>
#include <kroton/passes/kernel_writer.hpp>
#include <kroton/passes/reuse.hpp>

namespace kroton {

class lowering {
 public:
  constexpr explicit lowering(graph& g)
      : g_(g), fused_(g), stored_(nodes_in_memory(g, fused_)), groups_(g, fused_, stored_), buffer_of_(g.size(), -1) {}

  constexpr program_builder run() {
    make_buffers();
    kernel_writer kernels(g_, fused_, buffer_of_, program_);
    call_writer calls(g_, fused_, buffer_of_, program_);
    for (int k : groups_.order) {
      if (fused_.groups[k].kind == group_kind::single) calls.write(groups_.members[k][0]);
      else kernels.write(k, groups_.members[k]);
    }
    find_checks();
    memory_reuse{program_};
    program_.extents = g_.extents;
    program_.problem = g_.problem;
    return program_;
  }

 private:
  graph& g_;
  fusion fused_;
  array_list<bool> stored_;
  group_order groups_;
  program_builder program_;
  array_list<int> buffer_of_;  // of each node in memory

  constexpr extent_code elements(const shape& s) {
    extent_code n = 1;
    for (int i = 0; i < s.rank; ++i) n = g_.extents.multiply(n, s[i]);
    return n;
  }
  constexpr void make_buffers() {
    array_list<int> of_shared(g_.shared.size(), -1);
    for (int id = 0; id < g_.size(); ++id) {
      if (!stored_[id]) continue;
      const node& n = g_.nodes[id];
      buffer b{buffer_kind::temporary, 0, n.type, elements(g_.shape_of(id))};
      if (n.op->kind == op_kind::input || n.op->kind == op_kind::shared) {
        b.kind = n.op->kind == op_kind::input ? buffer_kind::input : buffer_kind::shared;
        b.index = static_cast<int>(n.attr.a);
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
        program_.buffers.push_back({buffer_kind::shared, u.target, v.type, elements(g_.shapes[v.shape])});
      }
      program_.writes.push_back({buffer_of_[u.source], of_shared[u.target]});
    }
  }
  constexpr void find_checks() {
    for (int id = 0; id < g_.size(); ++id) {
      const node& n = g_.nodes[id];
      if (n.op != op<ops::index_check>) continue;
      const view_map& v = fused_.views[g_.operand(id, 0)];
      if (buffer_of_[v.base] < 0) continue;  // a constant
      index_range_check check{{buffer_of_[v.base], v.offset, {}}, g_.shape_of(id), n.attr.a};
      for (int axis = 0; axis < check.extents.rank; ++axis) check.where.stride[axis] = v.stride[axis];
      program_.checks.push_back(check);
    }
  }
};

}  // namespace kroton
