// This header has the base of reductions over a set of axes: their type rule and the shape of their results.
//
//     sum of (2, 3, 4) over axes {0, 2}  ->  shape (3), attributes reduction_form{0b101}
#pragma once

#include <kroton/graph/axes.hpp>
#include <kroton/graph/elementwise.hpp>
#include <kroton/graph/ops/broadcast_to.hpp>

#include <limits>

namespace kroton {

namespace graph {
constexpr shape reduced(const shape& s, std::int64_t mask) {
  shape result;
  for (int axis = 0; axis < s.rank; ++axis)
    if (!((mask >> axis) & 1)) result.append(s[axis]);
  return result;
}
}  // namespace graph

/// Base of reductions; attributes: reduction_form. A reduction has `combine(a, b)`, associative and commutative, and
/// `identity<T>`; `exact` says that combining floating-point numbers rounds nothing.
template <operands Accepts>
struct reduction {
  static constexpr graph::op_kind kind = graph::op_kind::reduce;
  static constexpr operands takes = Accepts;
  static constexpr int cost = 1;
  static constexpr dtype result(dtype operand) { return operand; }
};

namespace graph {
/// Sums of narrow integers are 64 bits wide.
constexpr dtype widened(dtype type) {
  if (is_floating(type)) return type;
  return is_unsigned(type) ? dtype::uint64 : dtype::int64;
}

/// Requires elements along the axes of `mask`, for an operation that has no value without; how many there are.
constexpr extent_code require_elements(term x, std::int64_t mask, const char* operation) {
  extent_table& table = x.owner->extents;
  const extent_code count = table.elements(x.extents(), mask);
  if (count <= 0) table.require({requirement::kind::positive, count, 0, operation});
  return count;
}

/// The axes that a reduction reduces.
constexpr std::int64_t axes_of(term reduced) { return reduction_form::of(reduced.get().attr).axes; }

template <class Op>
constexpr term reduce_term(term x, std::int64_t mask) {
  if (mask == 0 && Op::result(x.type()) == x.type()) return x;
  if constexpr (requires { Op::needs_elements; }) require_elements(x, mask, Op::name);
  return graph_layer::record<Op>(*x.owner, Op::result(x.type()), reduced(x.extents(), mask), reduction_form{mask},
                                 &x.id, 1);
}

template <class Op>
constexpr term graph_layer::reduce_all(term x) {
  return reduce_term<Op>(x, all_axes(x.rank()));
}
template <class Op, int... Axes, keep_option... Keep>
constexpr term graph_layer::reduce(term x, axis_list<Axes...> axes, Keep...) {
  const std::int64_t mask = axis_mask(axes, x.rank());
  if (mask < 0) {
    x.owner->report({.what = mistake::backward, .operation = Op::name});
    return x;
  }
  const term result = reduce_term<Op>(x, mask);
  if constexpr (sizeof...(Keep) == 0) return result;
  else return reshape_term(result, with_ones(result.extents(), mask));
}
}  // namespace graph

}  // namespace kroton
