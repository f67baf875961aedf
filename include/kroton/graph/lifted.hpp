// This header lifts operations over the iterations of a loop: it makes of an operation on rows the same operation on
// all rows at once.
//
//     %3 = dot(row of %0, %1) (32, 8)
//       ->  %4 = reshape(%0) (n * 32, 4), %5 = dot(%4, %1), %6 = reshape(%5) (n, 32, 8)
#pragma once

#include <kroton/graph/ops.hpp>

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

/// The rows of a product of which one operand is the same for all rows: one product.
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
    case op_kind::dot: return lifted_product(operands[0], operands[1], row);
    default: {
      array_list<int> ids;
      for (const lifted_operand& x : operands)
        ids.push_back(x.has_rows && n.op->kind == op_kind::map ? aligned_rows(x.value, row.rank).id : x.value.id);
      return {&g, g.add(n.op, n.type, g.intern(target), n.attr, ids.begin(), ids.size())};
    }
  }
}

}  // namespace kroton::graph
