// This header finds which arguments a captured function uses: their values, their extents, or their gradients.
#pragma once

#include <kroton/graph/graph.hpp>
#include <kroton/graph/ops.hpp>
#include <kroton/graph/ops/extent.hpp>
#include <kroton/graph/ops/slice.hpp>

namespace kroton::typed {

/// Which nodes the outputs and updates are computed from.
constexpr array_list<bool> used_nodes(const graph& g) {
  array_list<bool> used(g.size(), false);
  for (int id : g.outputs) used[id] = true;
  for (const update_entry& u : g.updates) used[u.source] = true;
  const node* nodes = g.nodes.items;
  const int* operands = g.operands.items;
  bool* is_used = used.items;
  for (int id = g.size() - 1; id >= 0; --id)
    if (is_used[id])
      for (int i = nodes[id].first, past = i + nodes[id].count; i < past; ++i) is_used[operands[i]] = true;
  return used;
}

/// Symbols that stand for extents, of which some are marked.
class marked_symbols {
 public:
  constexpr explicit marked_symbols(const graph& g) : g_(g), marks_(g.extents.symbols.size(), false) {}

  /// Marks the symbols that an extent is computed from, itself included.
  constexpr void mark(extent_code e) {
    if (e >= 0 || marks_[index(e)]) return;
    marks_[index(e)] = true;
    const extent_symbol& s = g_.extents.symbol(e);
    if (!is_derived(s.kind)) return;
    mark(s.a);
    mark(s.b);
  }
  constexpr void mark(const shape& s) {
    for (int axis = 0; axis < s.rank; ++axis) mark(s.extent[axis]);
  }
  constexpr bool has(extent_code e) const { return e < 0 && marks_[index(e)]; }

 private:
  const graph& g_;
  array_list<bool> marks_;
  static constexpr int index(extent_code e) { return static_cast<int>(-1 - e); }
};

/// The extents that nodes need.
constexpr marked_symbols needed_extents(const graph& g, const array_list<bool>& used) {
  marked_symbols needed(g);
  for (int id = 0; id < g.size(); ++id) {
    if (!used[id]) continue;
    const node& n = g.nodes[id];
    needed.mark(g.shape_of(id));
    if (n.op->kind == op_kind::extent) needed.mark(extent_form::of(n.attr).extent);
    if (n.op->kind == op_kind::slice || n.op->kind == op_kind::embed) needed.mark(slice_form::of(n.attr).first);
    if (n.op->kind == op_kind::loop_row) needed.mark(loop_row_form::of(n.attr).first);
    if (n.op->kind == op_kind::loop_last) needed.mark(loop_last_form::of(n.attr).iterations);
  }
  return needed;
}

/// Whether a gradient was taken with respect to an argument, which may be known without its value.
constexpr bool is_differentiated(const graph& g, int id) {
  for (const cost_adjoints& each : g.differentiated)
    if (id < each.needed.size() && each.needed[id]) return true;
  return false;
}

/// Adds arguments to `used` whose value is not: those that are bounds of ranges, those of which gradients were taken,
/// and those that alone say what an extent is.
constexpr void add_arguments_without_values(const graph& g, array_list<bool>& used) {
  marked_symbols needed = needed_extents(g, used), known(g);
  for (const variable& v : g.shared) known.mark(g.shapes[v.shape]);
  const auto argument = [&](int id) { return g.nodes[id].op->kind == op_kind::input; };
  for (int id = 0; id < g.size(); ++id)
    if (argument(id) && used[id]) known.mark(g.shape_of(id));
  for (int id = 0; id < g.size(); ++id) {
    if (!argument(id) || used[id]) continue;
    used[id] = is_differentiated(g, id);
    for (const extent_symbol& s : g.extents.symbols)
      if (s.kind == extent_kind::scalar && s.a == variable_form::of(g.nodes[id].attr).position) used[id] = true;
    const shape& s = g.shape_of(id);
    for (int axis = 0; axis < s.rank; ++axis)
      if (needed.has(s.extent[axis]) && !known.has(s.extent[axis])) used[id] = true;
    if (used[id]) known.mark(s);
  }
}

/// Reports arguments that nothing is computed from. `before`: the nodes that were used before kt::givens replaced some.
constexpr void check_arguments(graph& g, const array_list<bool>& before) {
  array_list<bool> used = used_nodes(g);
  const node* nodes = g.nodes.items;
  bool all_used = true;
  for (int id = 0, count = g.size(); id < count; ++id)
    all_used = all_used && (used.items[id] || nodes[id].op->kind != op_kind::input);
  if (all_used) return;
  add_arguments_without_values(g, used);
  for (int id = 0; id < g.size(); ++id)
    if (!used[id] && g.nodes[id].op->kind == op_kind::input)
      g.report({.what = id < before.size() && before[id] ? mistake::replaced_argument : mistake::unused_argument,
                .argument = variable_form::of(g.nodes[id].attr).position});
}

}  // namespace kroton::typed
