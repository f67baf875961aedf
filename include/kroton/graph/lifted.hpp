// This header lifts operations over the iterations of a loop: it makes of an operation on rows the same operation on
// all rows at once.
//
//     %3 = dot(row of %0, %1) (32, 8)
//       ->  %4 = reshape(%0) (n * 32, 4), %5 = dot(%4, %1), %6 = reshape(%5) (n, 32, 8)
#pragma once

#include <kroton/graph/ops.hpp>

#include <algorithm>

namespace kroton::graph {

/// An operand of an operation of a body: all its rows (count, ...), or what all iterations share.
struct lifted_operand {
  term value;
  bool has_rows = false;
};

/// Whether `lifted` knows an operation of a body. `varies`: whether its operands differ from one iteration to the next.
constexpr bool can_lift(const node& n, const shape& row, const shape* operands, const bool* varies) {
  if (row.rank == max_rank) return false;
  switch (n.op->kind) {
    case op_kind::map: return !n.op->draws;
    case op_kind::reshape:
    case op_kind::transpose:
    case op_kind::broadcast:
    case op_kind::slice: return true;
    case op_kind::dot: return varies[0] != varies[1] && operands[varies[0] ? 1 : 0].rank == 2;
    case op_kind::take: return !varies[0];
    default: return false;
  }
}

/// The rows of an operand of a row of rank `rank`: (count, ...), with ones where the row has fewer axes.
constexpr term aligned_rows(term rows, int rank) {
  const shape s = rows.extents();
  if (s.rank == rank + 1) return rows;
  shape target;
  target.append(s[0]);
  for (int i = s.rank; i < rank + 1; ++i) target.append(1);
  for (int i = 1; i < s.rank; ++i) target.append(s[i]);
  return reshape_term(rows, target);
}

/// The rows of a product of which one operand, a matrix, is the same for all rows: one product.
constexpr term lifted_product(const lifted_operand& x, const lifted_operand& y, const shape& row) {
  const extent_code count = (x.has_rows ? x : y).value.extents()[0];
  extent_table& extents = x.value.owner->extents;
  const shape target = rows_of(count, row);
  if (!x.has_rows) {
    if (y.value.rank() != 3 || row[1] != 1) return dot_term(x.value, y.value);
    const term vectors = reshape_term(y.value, {2, {count, y.value.extents()[1]}});  // (m, k) of many (k)
    return reshape_term(dot_term(vectors, transpose_term(x.value, matrix_transpose(2))), target);
  }
  if (x.value.rank() != 3) return dot_term(x.value, y.value);
  const shape s = x.value.extents();
  const term together = reshape_term(x.value, {2, {extents.multiply(count, s[1]), s[2]}});
  return reshape_term(dot_term(together, y.value), target);
}
/// All rows of an operand: those that it has, or as many of what is the same for all.
constexpr term all_rows(const lifted_operand& x, extent_code count) {
  if (x.has_rows) return x.value;
  const shape row = x.value.extents();  // a copy, because new nodes move the graph's shapes
  return broadcast_term(reshape_term(x.value, rows_of(1, row)), rows_of(count, row));
}
/// The rows of any other product: one product of so many batches.
constexpr term batched_product(const lifted_operand& x, const lifted_operand& y, extent_code count) {
  const term operands[] = {all_rows(x, count), all_rows(y, count)};
  const int rank = std::max(operands[0].rank(), operands[1].rank());
  const shape batches = (operands[0].rank() == rank ? operands[0] : operands[1]).extents();
  const auto in_batches = [&](term z) {
    if (z.rank() == rank) return z;
    shape target = batches;
    for (int i = rank - 2; i < rank; ++i) target[i] = z.extents()[i - rank + z.rank()];
    return broadcast_term(aligned_rows(z, rank - 1), target);
  };
  return dot_term(in_batches(operands[0]), in_batches(operands[1]));
}

/// The axes 0 and 1 in each other's place.
constexpr term with_first_axes_swapped(term x) {
  return transpose_term(x, (identity_permutation(x.rank()) & ~std::int64_t{0xff}) | 0x01);
}
/// (count, n, ...) as (count * n, ...).
constexpr term joined_rows(term x) {
  const shape s = x.extents();
  shape target;
  target.append(x.owner->extents.multiply(s[0], s[1]));
  for (int axis = 2; axis < s.rank; ++axis) target.append(s[axis]);
  return reshape_term(x, target);
}
/// Indices (count, ...) into `rows` rows as indices into those of all, which follow each other.
constexpr term joined_index(term index, extent_code rows) {
  graph& g = *index.owner;
  const shape s = index.extents();
  const term first = iota(g, dtype::int64, s[0]) * extent_value(g, dtype::int64, rows);
  return cast(index, dtype::int64) + lying_along(first, 0, s.rank);
}
/// The rows of what is looked up.
constexpr term lifted_take(const lifted_operand& x, const lifted_operand& index) {
  if (!x.has_rows) return take_term(x.value, index.value);
  const extent_code count = x.value.extents()[0], rows = x.value.extents()[1];
  return take_term(joined_rows(x.value), joined_index(all_rows(index, count), rows));
}
/// The rows of what is added at indices, each of shape `row`.
constexpr term lifted_scatter(const lifted_operand& index, const lifted_operand& added, extent_code count,
                              const shape& row) {
  const term at = joined_index(all_rows(index, count), row[0]);
  const shape s = rows_of(count, row);
  shape together = row;
  together[0] = at.owner->extents.multiply(count, row[0]);
  return reshape_term(scatter_term(at, all_rows(added, count), together), s);
}

/// All rows (count, ...) of what operation `n` of a body makes, whose rows have shape `row`.
constexpr term lifted(graph& g, const node& n, const shape& row, const array_list<lifted_operand>& operands) {
  extent_code count = 1;
  for (const lifted_operand& x : operands)
    if (x.has_rows) count = x.value.extents()[0];
  const shape target = rows_of(count, row);
  const term first = operands[0].value;
  switch (n.op->kind) {
    case op_kind::reshape: return reshape_term(first, target);
    case op_kind::broadcast: return broadcast_term(aligned_rows(first, row.rank), target);
    case op_kind::transpose: {
      const std::int64_t order = transpose_form::of(n.attr).order;
      std::int64_t all = 0;
      for (int i = 0; i < row.rank; ++i) all |= static_cast<std::int64_t>(permuted_axis(order, i) + 1) << (4 * (i + 1));
      return transpose_term(first, all);
    }
    case op_kind::slice: {
      slice_form form = slice_form::of(n.attr);
      const extent_code kept = row[form.axis];
      ++form.axis;
      return slice_term(first, form, kept);
    }
    case op_kind::reduce: {
      const reduction_form all{reduction_form::of(n.attr).axes << 1};
      return {&g, g.add(n.op, n.type, g.intern(target), all, &first.id, 1)};
    }
    case op_kind::embed: {
      slice_form form = slice_form::of(n.attr);
      ++form.axis;
      return embed_term(first, form, target);
    }
    case op_kind::concatenate: {
      array_list<int> ids;
      for (const lifted_operand& x : operands) ids.push_back(all_rows(x, count).id);
      const concatenate_form form{concatenate_form::of(n.attr).axis + 1};
      return {&g, g.add(n.op, n.type, g.intern(target), form, ids.begin(), ids.size())};
    }
    case op_kind::dot: {
      const lifted_operand &x = operands[0], &y = operands[1];
      const bool shares_matrix = x.has_rows != y.has_rows && (x.has_rows ? y : x).value.rank() == 2;
      return shares_matrix ? lifted_product(x, y, row) : batched_product(x, y, count);
    }
    case op_kind::take: return lifted_take(operands[0], operands[1]);
    case op_kind::scatter_add: return lifted_scatter(operands[0], operands[1], count, row);
    default: {
      array_list<int> ids;
      for (const lifted_operand& x : operands)
        ids.push_back(x.has_rows && n.op->kind == op_kind::map ? aligned_rows(x.value, row.rank).id : x.value.id);
      return {&g, g.add(n.op, n.type, g.intern(target), n.attr, ids.begin(), ids.size())};
    }
  }
}

}  // namespace kroton::graph
