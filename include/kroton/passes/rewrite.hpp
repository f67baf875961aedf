// Writes a graph anew: drops dead nodes, folds constants, simplifies. Values never change, but for rounding where a
// rule says so; no rule turns a NaN or an infinity into a number.
#pragma once

#include <kroton/graph/stable.hpp>
#include <kroton/passes/live.hpp>

namespace kroton {

/// A constant converted to `type` as ops::cast says.
constexpr term convert_constant(term x, dtype type) {
  graph& g = *x.owner;
  const std::int64_t bits = x.get().attr.a;
  const double value = constant_value(x.get());
  if (is_floating(x.type()))
    return is_floating(type) ? constant(g, type, rounded(type, value)) : constant_of_bits(g, type, saturated(type, value));
  return is_floating(type) ? constant(g, type, rounded_integer(x.type(), type, bits)) : constant_of_bits(g, type, wrapped(type, bits));
}

/// The value of an elementwise operation on constants, if it can be computed while compiling.
constexpr term fold_constants(graph& g, const node& n, const int* args) {
  if (n.count == 0) return {};
  const dtype type = g.nodes[args[n.count - 1]].type;
  if (!(is_integer(type) ? n.op->foldable_integers : n.op->foldable)) return {};
  double values[4] = {};
  std::int64_t bits[4] = {};
  for (int i = 0; i < n.count; ++i) {
    if (!is_constant({&g, args[i]})) return {};
    values[i] = constant_value(g.nodes[args[i]]);
    bits[i] = g.nodes[args[i]].attr.a;
  }
  if (is_integer(type)) return constant_of_bits(g, n.type, wrapped(n.type, n.op->integer_reference(type, bits, n.count)));
  return constant(g, n.type, n.op->reference(type, values, n.count));
}

/// `t`, of a shape that broadcasting made larger than its own.
constexpr term at_shape(graph& g, term t, int shape) {
  return t.get().shape == shape ? t : broadcast_term(t, g.shapes[shape]);
}

/// An elementwise operation on broadcast operands: computed before they are broadcast.
constexpr term before_broadcast(graph& g, const node& n, const int* args) {
  int plain[4] = {};
  bool stripped = false;
  for (int i = 0; i < n.count; ++i) {
    plain[i] = args[i];
    const auto spreads = [&](int id) {
      const node& view = g.nodes[id];
      return view.op->id == id_of<ops::broadcast_to> ||
             (view.op->id == id_of<ops::reshape> && g.shape_of(g.operand(id, 0)).rank == 0);
    };
    while (spreads(plain[i])) plain[i] = g.operand(plain[i], 0), stripped = true;
  }
  if (!stripped) return {};
  shape s = g.shape_of(plain[0]);
  for (int i = 1; i < n.count; ++i) s = broadcast_shape(g.extents, s, g.shape_of(plain[i]), n.op->name);
  return at_shape(g, {&g, g.add(n.op, n.type, g.intern(s), n.attr, plain, n.count)}, n.shape);
}

/// A matrix product or scatter of 16-bit floats, for which the host has no kernel.
constexpr term through_float(graph& g, const node& n, const int* args) {
  if (computed_in(n.type) == n.type || (n.op->id != id_of<ops::dot> && n.op->id != id_of<ops::scatter_add>)) return {};
  const auto wide = [&](int id) {
    const term x{&g, id};
    if (x.get().op->id != id_of<ops::transpose>) return cast(x, computed_in(x.type())).id;
    return transpose_term(cast({&g, g.operand(id, 0)}, computed_in(x.type())), x.get().attr.a).id;  // one copy for both ways
  };
  const int operands[] = {wide(args[0]), wide(args[1])};
  return cast({&g, g.add(n.op, computed_in(n.type), n.shape, n.attr, operands, 2)}, n.type);
}

/// A simpler term for node `n` on the operands `args`, if a rule knows one.
constexpr term simplify(graph& g, const node& n, const int* args) {
  const term x{&g, n.count > 0 ? args[0] : -1}, y{&g, n.count > 1 ? args[1] : -1};
  if (n.op->identity_value) return x;
  if (const term wide = through_float(g, n, args); wide.valid()) return wide;
  if (const term stable = stabiliser(g).apply(n, args); stable.valid()) return at_shape(g, stable, n.shape);
  if (n.op->kind == op_kind::map)
    if (const term early = before_broadcast(g, n, args); early.valid()) return early;
  if (const term folded = fold_constants(g, n, args); folded.valid()) return at_shape(g, folded, n.shape);
  if (n.op->id == id_of<ops::mul>) {
    if (is_number(y, 1)) return at_shape(g, x, n.shape);
    if (is_number(x, 1)) return at_shape(g, y, n.shape);
  } else if (n.op->id == id_of<ops::div>) {
    if (is_number(y, 1)) return at_shape(g, x, n.shape);
  } else if (n.op->id == id_of<ops::neg>) {
    if (x.get().op->id == id_of<ops::neg>) return {&g, g.operand(x.id, 0)};
  } else if (n.op->id == id_of<ops::where> && x.get().op->id == id_of<ops::logical_not>) {
    return at_shape(g, where(term{&g, g.operand(x.id, 0)}, term{&g, args[2]}, y), n.shape);
  } else if (n.op->id == id_of<ops::where>) {  // of a choice by the same condition, the side that it has here
    const auto decided = [&](int i) {
      const node& t = g.nodes[args[i]];
      const bool again = t.op->id == id_of<ops::where> && t.shape == n.shape && g.operand(args[i], 0) == x.id;
      return term{&g, again ? g.operand(args[i], i) : args[i]};
    };
    const term yes = decided(1), no = decided(2);
    if (yes.id != args[1] || no.id != args[2]) return at_shape(g, where(x, yes, no), n.shape);
  } else if (n.op->id == id_of<ops::logical_not>) {
    if (x.get().op->id == id_of<ops::logical_not>) return {&g, g.operand(x.id, 0)};
  } else if (n.op->id == id_of<ops::cast>) {
    if (x.type() == n.type) return x;
    if (is_constant(x)) return convert_constant(x, n.type);
  } else if (n.op->kind == op_kind::reduce) {
    bool trivial = true;  // reduces extents of 1 only
    for (int axis = 0; axis < x.rank(); ++axis)
      if ((n.attr.a >> axis) & 1) trivial = trivial && x.extents()[axis] == 1;
    if (!trivial) return {};
    if (n.op->id == id_of<ops::argmax> || n.op->id == id_of<ops::argmin>) return at_shape(g, constant(g, n.type, 0), n.shape);
    return reshape_term(cast(x, n.type), g.shapes[n.shape]);
  } else if (n.op->id == id_of<ops::reshape>) {
    if (x.get().shape == n.shape) return x;
    if (x.get().op->id == id_of<ops::reshape>) return reshape_term({&g, g.operand(x.id, 0)}, g.shapes[n.shape]);
  } else if (n.op->id == id_of<ops::broadcast_to>) {
    if (x.get().shape == n.shape) return x;
  } else if (n.op->id == id_of<ops::transpose>) {
    if (x.get().op->id == id_of<ops::transpose>) {
      std::int64_t order = 0;
      for (int i = 0; i < x.rank(); ++i)
        order |= static_cast<std::int64_t>(permuted_axis(x.get().attr.a, permuted_axis(n.attr.a, i))) << (4 * i);
      return transpose_term({&g, g.operand(x.id, 0)}, order);
    }
  }
  return {};
}

/// The rewritten graph of `f`.
template <graph_size Size>
constexpr void rewrite(const frozen_graph<Size>& f, graph& g) {
  thaw_frame(f, g);
  const array_list<bool> live = live_nodes(f);
  array_list<int> renamed(Size.nodes, -1);
  int args[64] = {};
  for (int id = 0; id < Size.nodes; ++id) {
    if (!live[id]) continue;
    const node& n = f.nodes[id];
    array_list<int> many;
    if (n.count > 64) many.resize(n.count);
    int* operands = n.count > 64 ? many.begin() : args;
    for (int i = 0; i < n.count; ++i) operands[i] = renamed[f.operands[n.first + i]];
    if (n.op->commutative && operands[0] > operands[1]) {
      const int swapped = operands[0];
      operands[0] = operands[1];
      operands[1] = swapped;
    }
    const term simpler = simplify(g, n, operands);
    renamed[id] = simpler.valid() ? simpler.id : g.add(n.op, n.type, n.shape, n.attr, operands, n.count);
  }
  for (int i = 0; i < Size.outputs; ++i) g.outputs.push_back(renamed[f.outputs[i]]);
  for (int i = 0; i < Size.updates; ++i) g.updates.push_back(update_entry{f.updates[i].target, renamed[f.updates[i].source]});
}

}  // namespace kroton
