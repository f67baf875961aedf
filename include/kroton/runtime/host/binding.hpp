// The steps of a program with their extents known: loops and strides of fused kernels.
#pragma once

#include <kroton/passes/program.hpp>
#include <kroton/runtime/host/bound_step.hpp>

#include <vector>

namespace kroton::on_host {

/// Binds the steps of a plan to the values of its symbols.
class step_binder {
 public:
  step_binder(const plan_view& plan, const std::int64_t* symbols) : plan_(plan), symbols_(symbols) {}

  void bind(const step& s, bound_step& b) const {
    const auto count = static_cast<std::size_t>(s.accesses);
    b.operands.assign(count, {});
    b.buffers.resize(count);
    b.starts.resize(count);
    b.parameters.clear();
    for (int i = 0; i < s.parameters; ++i) b.parameters.push_back(value(plan_.parameters[static_cast<std::size_t>(s.first_parameter + i)]));
    std::vector<std::int64_t> unit(count);
    for (std::size_t i = 0; i < count; ++i) {
      const access& a = plan_.accesses[static_cast<std::size_t>(s.first_access + static_cast<int>(i))];
      b.buffers[i] = a.buffer;
      unit[i] = a.buffer < 0 ? 1 : size_of(plan_.buffers[static_cast<std::size_t>(a.buffer)].type);
      b.starts[i] = value(a.offset) * unit[i];
    }
    if (s.kind >= step_kind::dot) return;
    std::vector<axis_loop> axes;
    const int rank = s.space.rank;
    for (int axis = 0; axis < rank; ++axis) {
      axis_loop loop{place::outer, value(s.space[axis]), {}};
      for (std::size_t i = 0; i < count; ++i)
        loop.stride.push_back(value(plan_.accesses[static_cast<std::size_t>(s.first_access + static_cast<int>(i))].stride[axis]) * unit[i]);
      if (axis == rank - 1) loop.where = place::inner;
      else if (s.kind == step_kind::columns ? axis < s.reduced : (s.kind != step_kind::map && axis >= rank - s.reduced)) loop.where = place::middle;
      axes.push_back(loop);
    }
    merge_axes(s, axes);
    fill_nest(axes, b);
  }

 private:
  const plan_view& plan_;
  const std::int64_t* symbols_;

  std::int64_t value(extent_code e) const { return extent_value(e, symbols_); }

  /// Which loop an axis belongs to.
  enum class place { outer, middle, inner };
  struct axis_loop {
    place where;
    std::int64_t extent;
    std::vector<std::int64_t> stride;  // of each operand
  };

  /// Merges neighbouring axes over which every operand moves evenly.
  static void merge_axes(const step& s, std::vector<axis_loop>& axes) {
    for (std::size_t i = axes.size(); i-- > 1;) {
      axis_loop &slow = axes[i - 1], &fast = axes[i];
      const bool inner_joins = fast.where == place::inner &&
                               (slow.where == (s.kind == step_kind::map || s.kind == step_kind::columns ? place::outer : place::middle)) &&
                               !(s.kind == step_kind::rows && s.reduced == 0);
      if (slow.where != fast.where && !inner_joins) continue;
      bool even = true;
      for (std::size_t o = 0; o < fast.stride.size(); ++o) even = even && slow.stride[o] == fast.stride[o] * fast.extent;
      if (!even) continue;
      fast.extent *= slow.extent;
      axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i) - 1);
    }
  }
  static void fill_nest(const std::vector<axis_loop>& axes, bound_step& b) {
    nest& n = b.loops;
    n = {};
    for (const axis_loop& axis : axes) {
      if (axis.where == place::inner) {
        n.inner = axis.extent;
        for (std::size_t i = 0; i < b.operands.size(); ++i) b.operands[i].inner = axis.stride[i];
        continue;
      }
      const bool outer = axis.where == place::outer;
      int& rank = outer ? n.outer_rank : n.middle_rank;
      (outer ? n.outer : n.middle)[rank] = axis.extent;
      (outer ? n.rows : n.middles) *= axis.extent;
      for (std::size_t i = 0; i < b.operands.size(); ++i)
        (outer ? b.operands[i].outer : b.operands[i].middle)[rank] = axis.stride[i];
      ++rank;
    }
  }
};

}  // namespace kroton::on_host
