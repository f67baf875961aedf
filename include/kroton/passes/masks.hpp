// This header lets the kernel that reads a mask compute it, if what the mask compares is in memory anyway. A comparison
// with a number is as cheap to compute again as to read.
//
//     group 0: h = x + b, mask = h > 0    group 1: where(mask, g, 0)
//       ->  group 0: h = x + b            group 1: mask = h > 0, where(mask, g, 0)
#pragma once

#include <kroton/passes/fuse.hpp>

namespace kroton::passes {

/// A comparison with a number is as cheap to compute again as to read, and it keeps its first kernel from being part of
/// a matrix product. It moves to the group of its readers if they are all in one, and if a product or the like needs
/// what is compared from memory.
constexpr void move_masks_to_readers(const graph& g, fusion& fused) {
  array_list<int> reader_group(g.size(), -1);  // -1: none so far, -2: several, or not element by element
  array_list<bool> is_stored(g.size(), false);
  const auto keep = [&](int id) {
    const int base = fused.views[id].base;
    reader_group[base] = -2;
    is_stored[base] = true;
  };
  for (int id : g.outputs) keep(id);
  for (const update_entry& u : g.updates) keep(u.source);
  for (int id = 0; id < g.size(); ++id)
    for (int i = 0; i < g.nodes[id].count; ++i) {
      const int x = g.operand(id, i), base = fused.views[x].base, k = fused.group_of[id];
      if (base < 0) continue;
      if (k < 0 || fused.groups[k].kind == group_kind::single) {
        if (k >= 0) is_stored[base] = true;
        if (is_computed(g.nodes[id])) reader_group[base] = -2;
        continue;
      }
      const bool is_element = x == base && fused.role_of[id] == role::element && g.nodes[id].shape == g.nodes[x].shape;
      if (!is_element || (reader_group[base] != -1 && reader_group[base] != k)) reader_group[base] = -2;
      else reader_group[base] = k;
    }
  const auto is_number_or_stored = [&](int x) {
    return g.nodes[x].op->kind == op_kind::constant || (is_stored[x] && fused.group_of[x] >= 0);
  };
  for (int id = 0; id < g.size(); ++id) {
    const node& n = g.nodes[id];
    const int from = fused.group_of[id], to = reader_group[id];
    if (n.op->kind != op_kind::map || n.type != dtype::boolean || n.count != 2 || from < 0 || to < 0 || to == from)
      continue;
    if (fused.groups[to].loops != n.loops) continue;
    if (fused.role_of[id] != role::element || !is_number_or_stored(g.operand(id, 0)) ||
        !is_number_or_stored(g.operand(id, 1)))
      continue;
    fused.group_of[id] = to;
  }
}

}  // namespace kroton::passes
