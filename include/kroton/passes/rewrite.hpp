// This pass writes a graph anew: it drops dead nodes, folds constants, simplifies, and replaces formulas that overflow
// or cancel by stable ones (graph/stable.hpp). Values change by rounding alone, where a rule says so; no rule turns a
// NaN or an infinity into a number.
//
//     %1 = mul(%0, 1), %2 = add(2, 3), %3 = mul(%1, %2)  ->  %1 = mul(%0, 5)
#pragma once

#include <kroton/graph/stable.hpp>
#include <kroton/passes/disjoint_parts.hpp>
#include <kroton/passes/live.hpp>
#include <kroton/passes/slice_motion.hpp>

#include <bit>

namespace kroton::passes {

/// A constant converted to `type` as ops::cast says.
constexpr term convert_constant(term x, dtype type) {
  graph& g = *x.owner;
  const std::int64_t bits = constant_form::of(x.get().attr).bits;
  const double value = constant_value(x.get());
  if (is_floating(x.type()))
    return is_floating(type) ? constant(g, type, rounded(type, value))
                             : constant_of_bits(g, type, saturated(type, value));
  return is_floating(type) ? constant(g, type, rounded_integer(x.type(), type, bits))
                           : constant_of_bits(g, type, wrapped(type, bits));
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
    bits[i] = constant_form::of(g.nodes[args[i]].attr).bits;
  }
  if (is_integer(type))
    return constant_of_bits(g, n.type, wrapped(n.type, n.op->integer_reference(type, bits, n.count)));
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

/// Whether a number is a power of two whose reciprocal is one of the type, too.
constexpr bool has_exact_reciprocal(dtype type, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023, most = size_of(type) == 2 ? 14 : 100;
  return (bits << 12) == 0 && -most <= exponent && exponent <= most;
}
/// A quotient of floating-point numbers by a constant: constant, or a product that is the same number.
constexpr term quotient_by_constant(graph& g, const node& n, term x, term y) {
  if (!is_floating(n.type) || !is_constant(y)) return {};
  const double divisor = constant_value(y.get());
  if (is_constant(x)) {  // far from overflow, which is no constant
    const auto is_moderate = [](double value) {
      return value < 0 ? -1e150 < value && value < -1e-150 : 1e-150 < value && value < 1e150;
    };
    const double dividend = constant_value(x.get());
    if (is_moderate(divisor) && (dividend == 0 || is_moderate(dividend)))
      return constant(g, n.type, dividend / divisor);
  }
  return has_exact_reciprocal(n.type, divisor) ? x * constant(g, n.type, 1 / divisor) : term{};
}

/// A sum, difference or product of floating-point numbers without signs that another operation, or a constant, can
/// have.
constexpr term without_signs(graph& g, const node& n, term x, term y) {
  if (!is_floating(n.type)) return {};
  const auto is_negative = [](term t) { return t.get().op->id == id_of<ops::neg>; };
  const auto negated = [&](term t) { return term{&g, g.operand(t.id, 0)}; };
  if (n.op->id == id_of<ops::add>) {
    if (is_negative(y)) return x - negated(y);
    return is_negative(x) ? y - negated(x) : term{};
  }
  if (n.op->id == id_of<ops::sub>) return is_negative(y) ? x + negated(y) : term{};
  if (n.op->id != id_of<ops::mul>) return {};
  if (is_number(y, -1)) return -x;
  if (is_number(x, -1)) return -y;
  if (is_negative(x) && is_negative(y)) return negated(x) * negated(y);
  if (is_negative(x) && is_constant(y)) return negated(x) * constant(g, n.type, -constant_value(y.get()));
  return is_negative(y) && is_constant(x) ? negated(y) * constant(g, n.type, -constant_value(x.get())) : term{};
}

/// Twice a product with a constant, which gradients of squares are: one product.
constexpr term doubled_product(graph& g, const node& n, term x, term y) {
  if (n.op->id != id_of<ops::add> || !is_floating(n.type) || x.id != y.id || x.get().op->id != id_of<ops::mul>)
    return {};
  for (int side = 0; side < 2; ++side) {
    const term factor{&g, g.operand(x.id, side)}, other{&g, g.operand(x.id, 1 - side)};
    if (!is_constant(factor)) continue;
    const double number = constant_value(factor.get());
    if (-1e4 < number && number < 1e4) return other * constant(g, n.type, 2 * number);
  }
  return {};
}

/// A matrix product or scatter of 16-bit floats, for which the host has no kernel.
constexpr term through_float(graph& g, const node& n, const int* args) {
  if (computed_in(n.type) == n.type || (n.op->id != id_of<ops::dot> && n.op->id != id_of<ops::scatter_add>)) return {};
  const auto wide = [&](int id) {
    const term x{&g, id};
    if (x.get().op->id != id_of<ops::transpose>) return cast(x, computed_in(x.type())).id;
    return transpose_term(cast({&g, g.operand(id, 0)}, computed_in(x.type())), transpose_form::of(x.get().attr).order)
        .id;  // one copy for both ways
  };
  const int operands[] = {wide(args[0]), wide(args[1])};
  return cast({&g, g.add(n.op, computed_in(n.type), n.shape, n.attr, operands, 2)}, n.type);
}

/// A simpler term for node `n` on the operands `args`, if a rule knows one that needs no other form of it.
constexpr term simplify(graph& g, const node& n, const int* args) {
  const term x{&g, n.count > 0 ? args[0] : -1}, y{&g, n.count > 1 ? args[1] : -1};
  if (n.op->kind == op_kind::map)
    if (const term early = before_broadcast(g, n, args); early.valid()) return early;
  if (const term folded = fold_constants(g, n, args); folded.valid()) return at_shape(g, folded, n.shape);
  if (const term joined = sum_of_parts(n, x, y); joined.valid()) return joined;
  if (n.op->kind == op_kind::map && n.count == 2)
    if (const term bare = without_signs(g, n, x, y); bare.valid()) return at_shape(g, bare, n.shape);
  if (const term twice = doubled_product(g, n, x, y); twice.valid()) return at_shape(g, twice, n.shape);
  if (n.op->id == id_of<ops::mul>) {
    if (is_number(y, 1)) return at_shape(g, x, n.shape);
    if (is_number(x, 1)) return at_shape(g, y, n.shape);
  } else if (n.op->id == id_of<ops::div>) {
    if (is_number(y, 1)) return at_shape(g, x, n.shape);
    if (const term t = quotient_by_constant(g, n, x, y); t.valid()) return at_shape(g, t, n.shape);
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
      if (reduction_form::of(n.attr).is_over(axis)) trivial = trivial && x.extents()[axis] == 1;
    if (!trivial) return {};
    if (n.op->id == id_of<ops::argmax> || n.op->id == id_of<ops::argmin>)
      return at_shape(g, constant(g, n.type, 0), n.shape);
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
        order |= static_cast<std::int64_t>(permuted_axis(transpose_form::of(x.get().attr).order,
                                                         permuted_axis(transpose_form::of(n.attr).order, i)))
                 << (4 * i);
      return transpose_term({&g, g.operand(x.id, 0)}, order);
    }
  }
  return {};
}

/// The smaller number first, so that x + y and y + x are one node.
constexpr void order_operands(const node& n, int* operands) {
  if (!n.op->commutative || operands[0] <= operands[1]) return;
  const int first = operands[0];
  operands[0] = operands[1];
  operands[1] = first;
}
/// A term that a rule made, as simple as if it had been written: the nodes from `first` on are its own. No rule makes
/// larger terms of what it made, so `steps` ends nothing but a mistake.
constexpr term settled(graph& g, term made, int first, int steps = 16) {
  const node n = made.get();
  int operands[4] = {};
  if (made.id < first || n.count > 4 || steps == 0) return made;
  for (int i = 0; i < n.count; ++i) operands[i] = settled(g, {&g, g.operand(made.id, i)}, first, steps - 1).id;
  order_operands(n, operands);
  const int next = g.nodes.size();
  const term simpler = simplify(g, n, operands);
  if (simpler.valid()) return simpler.id == made.id ? made : settled(g, simpler, next, steps - 1);
  return {&g, g.add(n.op, n.type, n.shape, n.attr, operands, n.count)};
}
/// A better term for node `n` on the operands `args`, if a rule knows one.
constexpr term improved(graph& g, const node& n, const int* args) {
  const int first = g.nodes.size();
  term made;
  if (n.op->identity_value) return {&g, args[0]};
  made = through_float(g, n, args);
  if (!made.valid())
    if (const term stable = stabiliser(g).apply(n, args); stable.valid()) made = at_shape(g, stable, n.shape);
  if (!made.valid()) made = simplify(g, n, args);
  return made.valid() ? settled(g, made, first) : made;
}

/// The rewritten graph of `f`.
template <graph_size Size>
constexpr void rewrite(const frozen_graph<Size>& f, graph& g) {
  thaw_frame(f, g);
  const array_list<bool> live = live_nodes(f);
  const slice_motion slices(f, live);
  array_list<int> renamed(Size.nodes, -1);
  int args[64] = {};
  for (int id = 0; id < Size.nodes; ++id) {
    if (!live[id]) continue;
    node n = f.nodes[id];
    const bool is_cut = slices.is_cut(id);
    if (n.op->kind == op_kind::slice && slices.is_cut(f.operands[n.first])) {
      renamed[id] = renamed[f.operands[n.first]];
      continue;
    }
    if (is_cut) n.shape = g.intern(slices.cut_shape(id));
    array_list<int> many;
    if (n.count > 64) many.resize(n.count);
    int* operands = n.count > 64 ? many.begin() : args;
    for (int i = 0; i < n.count; ++i)
      operands[i] = is_cut ? slices.operand_of(g, renamed, id, i) : renamed[f.operands[n.first + i]];
    order_operands(n, operands);
    const term simpler = improved(g, n, operands);
    renamed[id] = simpler.valid() ? simpler.id : g.add(n.op, n.type, n.shape, n.attr, operands, n.count);
  }
  for (int i = 0; i < Size.outputs; ++i) g.outputs.push_back(renamed[f.outputs[i]]);
  for (int i = 0; i < Size.updates; ++i)
    g.updates.push_back(update_entry{f.updates[i].target, renamed[f.updates[i].source]});
}

}  // namespace kroton::passes
