// This header finds how the values of a function depend on one named dimension. A value is computed piece by piece, or
// combined from the pieces by a reduction, or the same for all pieces; anything else keeps the function from being
// divided, and the analysis names the operation.
//
//     x * 2            (batch, 3)  ->  piece by piece along axis 0
//     sum(x, axis<0>)  (3)         ->  combined: the sums of pieces are added
//     softmax(x, axis<0>)          ->  refused: it needs the whole dimension before any piece is done
#pragma once

#include <kroton/graph/ops.hpp>
#include <kroton/passes/live.hpp>

namespace kroton::passes {

/// A reduction, and the operation that combines its results of pieces.
struct combination {
  operation_id reduction;
  const operation* combine;
};
inline constexpr combination combinations[] = {
    {id_of<ops::sum>, op<ops::add>},         {id_of<ops::prod>, op<ops::mul>},
    {id_of<ops::max>, op<ops::maximum>},     {id_of<ops::min>, op<ops::minimum>},
    {id_of<ops::all>, op<ops::logical_and>}, {id_of<ops::any>, op<ops::logical_or>}};
/// Which of them node `n` is, the first for products and scattered sums; -1 for a reduction of which it is not known.
constexpr int combination_index(const node& n) {
  if (n.op->kind != op_kind::reduce) return 0;
  int found = -1, at = 0;
  for (const combination& each : combinations) {
    if (each.reduction == n.op->id) found = at;
    ++at;
  }
  return found;
}
constexpr const operation* combiner_of(const node& n) { return combinations[combination_index(n)].combine; }

/// How a node depends on the elements along the dimension.
enum class dependence : std::uint8_t {
  none,     ///< not at all
  along,    ///< it has the dimension as an axis; each of its slices depends on the same slices of arguments
  summand,  ///< a sum over slices that each iteration of a loop makes, on its way to a sum over all iterations
  over,     ///< it combines all slices, so that the results of pieces can be combined
  after     ///< it depends on such a combination
};

/// Why a function cannot be divided.
struct chunk_problem {
  int argument = -1, output = -1;   ///< has the dimension, but not as its first axis
  int shared = -1;                  ///< a variable that has it
  const char* operation = nullptr;  ///< needs more of it than a piece
  constexpr bool is_axis() const { return argument >= 0 || output >= 0 || shared >= 0; }
  constexpr bool is_there() const { return is_axis() || operation != nullptr; }
};

/// Whether the value of an extent depends on that of `dimension`.
constexpr bool depends_on(const extent_symbol* symbols, extent_code e, extent_code dimension) {
  if (e >= 0 || e == dimension) return e == dimension;
  const extent_symbol& s = symbols[-1 - e];
  return is_derived(s.kind) && (depends_on(symbols, s.a, dimension) || depends_on(symbols, s.b, dimension));
}

/// The dependence of each of so many nodes; of one that nothing needs, none.
template <int Nodes>
struct chunk_dependences {
  plain_array<dependence, Nodes + 1> of = {};
  chunk_problem problem;
  constexpr dependence operator[](int id) const { return of[id]; }
};

/// Finds those of `Graph`, a frozen graph.
template <class Graph>
class chunk_analysis {
 public:
  constexpr chunk_analysis(const Graph& f, extent_code dimension) : f_(f), dimension_(dimension) {
    const array_list<bool> live = live_nodes(f);
    for (int i = 0; i < f.size.updates; ++i) require_whole(f.updates[i].target);
    for (int id = 0; id < f.size.nodes; ++id)
      if (live[id]) found.of[id] = look(id);
    for (int i = 0; i < f.size.outputs; ++i) {
      require_no_summand(f.outputs[i]);
      if (found[f.outputs[i]] == dependence::along && axis_of_node(f.outputs[i]) != 0) found.problem.output = i;
    }
    for (int i = 0; i < f.size.updates; ++i) require_no_summand(f.updates[i].source);
  }
  chunk_dependences<Graph::size.nodes> found;

 private:
  static constexpr int no_axis = -1, several = -2;
  const Graph& f_;
  extent_code dimension_;

  /// The axis of a shape that is the dimension.
  constexpr int axis_of(const shape& s) const {
    int at = no_axis;
    for (int axis = 0; axis < s.rank; ++axis)
      if (depends_on(f_.symbols, s[axis], dimension_)) at = at == no_axis && s[axis] == dimension_ ? axis : several;
    return at;
  }
  constexpr const shape& shape_of(int id) const { return f_.shapes[f_.nodes[id].shape]; }
  constexpr int axis_of_node(int id) const { return axis_of(shape_of(id)); }
  constexpr int operand(const node& n, int i) const { return f_.operands[n.first + i]; }
  constexpr void require_whole(int shared) {
    if (axis_of(f_.shapes[f_.shared[shared].shape]) != no_axis) found.problem.shared = shared;
  }
  constexpr dependence refuse(const char* operation) {
    if (found.problem.operation == nullptr) found.problem.operation = operation;
    return dependence::none;
  }
  /// The name of the operation that node `id` has its combination of slices from.
  constexpr const char* combination_of(int id) const {
    while (found[id] != dependence::over) id = operand_like(f_.nodes[id], dependence::over);
    return f_.nodes[id].op->name;
  }
  /// The same of the sums of an iteration.
  constexpr const char* summands_of(int id) const {
    for (int before; (before = operand_like(f_.nodes[id], dependence::summand)) >= 0;) id = before;
    return f_.nodes[id].op->name;
  }
  /// The first operand that depends on slices at least so much, -1: none does.
  constexpr int operand_like(const node& n, dependence least) const {
    for (int i = 0; i < n.count; ++i)
      if (found[operand(n, i)] >= least) return operand(n, i);
    return -1;
  }
  constexpr void require_no_summand(int id) {
    if (found[id] == dependence::summand) refuse(summands_of(id));
  }

  constexpr dependence look(int id) {
    const node& n = f_.nodes[id];
    const int axis = axis_of_node(id);
    bool has_along = false;
    int after = -1, summand = -1;
    for (int i = 0; i < n.count; ++i) {
      has_along = has_along || found[operand(n, i)] == dependence::along;
      if (found[operand(n, i)] >= dependence::over) after = operand(n, i);
      if (found[operand(n, i)] == dependence::summand) summand = operand(n, i);
    }
    if (n.op->kind == op_kind::input && (axis > 0 || axis == several))
      found.problem.argument = variable_form::of(n.attr).position;
    if (n.op->kind == op_kind::shared) require_whole(variable_form::of(n.attr).position);
    if (axis == several) return refuse(n.op->name);
    if (summand >= 0) return keeps_sums(n) && after < 0 ? of_sums(n) : refuse(summands_of(summand));
    if (axis == no_axis && !has_along) return after >= 0 ? dependence::after : dependence::none;
    if (after >= 0) return refuse(combination_of(after));
    if (axis != no_axis) return keeps(n, axis) ? dependence::along : refuse(n.op->name);
    if (!combines(n)) return refuse(n.op->name);
    if (n.loops == 0) return dependence::over;
    // each iteration combines other slices, so that only their sums can be combined once
    return combiner_of(n)->id == id_of<ops::add> ? dependence::summand : refuse(n.op->name);
  }
  /// Whether the sum of what a node makes of several sums is what it makes of their sum.
  constexpr bool keeps_sums(const node& n) const {
    const auto is_sum = [&](int i) { return found[operand(n, i)] == dependence::summand; };
    if (n.op->id == id_of<ops::sum> || n.op->id == id_of<ops::neg> || n.op->kind == op_kind::reshape ||
        n.op->kind == op_kind::transpose)
      return true;
    if (n.op->id == id_of<ops::add>) return is_sum(0) && is_sum(1);
    if (n.op->id == id_of<ops::mul>) return found[operand(n, is_sum(0) ? 1 : 0)] == dependence::none;
    if (n.op->kind != op_kind::loop_rows) return false;
    for (int i = 1; i < n.count; ++i)  // no carried variable adds them up
      if (is_sum(i)) return false;
    return true;
  }
  /// What a node is that keeps sums: those of all iterations are combined where they leave the rows of a loop.
  constexpr dependence of_sums(const node& n) const {
    return n.loops == 0 && n.op->kind != op_kind::loop_rows ? dependence::over : dependence::summand;
  }

  /// Whether operand `i` has the dimension as axis `axis`; -1: not at all.
  constexpr bool has_at(const node& n, int i, int axis) const { return axis_of_node(operand(n, i)) == axis; }

  /// Whether each slice of a node along `axis` is computed from the same slices of its operands.
  constexpr bool keeps(const node& n, int axis) const {
    const int rank = f_.shapes[n.shape].rank, from_right = rank - axis;
    const shape& x = n.count > 0 ? shape_of(operand(n, 0)) : f_.shapes[n.shape];
    switch (n.op->kind) {
      case op_kind::input: return axis == 0;
      case op_kind::transfer: return true;
      case op_kind::map:
      case op_kind::broadcast:
        for (int i = 0; i < n.count; ++i) {  // an extent that is found to be the same only at the call is not divided
          const shape& s = shape_of(operand(n, i));
          if (s.rank >= from_right && s[s.rank - from_right] != dimension_ && s[s.rank - from_right] != 1) return false;
        }
        return !depends_on(f_.symbols, extent_form::of(n.attr).extent, dimension_);  // the bound of an index
      case op_kind::reduce:
      case op_kind::transpose: return axis_of(x) >= 0;
      case op_kind::reshape: return axis_of(x) >= 0 && same_before(x, axis_of(x), f_.shapes[n.shape], axis);
      case op_kind::slice:
      case op_kind::embed:
        return has_at(n, 0, axis) && slice_form::of(n.attr).axis != axis &&
               !depends_on(f_.symbols, slice_form::of(n.attr).first, dimension_);
      case op_kind::concatenate: {
        bool has_all = concatenate_form::of(n.attr).axis != axis;
        for (int i = 0; i < n.count; ++i) has_all = has_all && has_at(n, i, axis);
        return has_all;
      }
      case op_kind::dot: {
        const int x_rank = x.rank, y_rank = shape_of(operand(n, 1)).rank;
        if (axis == rank - 2) return has_at(n, 0, x_rank - 2) && has_at(n, 1, no_axis);
        if (axis == rank - 1) return has_at(n, 0, no_axis) && has_at(n, 1, y_rank - 1);
        return has_at(n, 0, x_rank == rank ? axis : no_axis) && has_at(n, 1, y_rank == rank ? axis : no_axis);
      }
      case op_kind::take: {
        const int index_rank = shape_of(operand(n, 1)).rank;
        if (axis < index_rank) return has_at(n, 0, no_axis) && has_at(n, 1, axis);
        return has_at(n, 0, axis - index_rank + 1) && has_at(n, 1, no_axis);
      }
      case op_kind::scatter_add: return axis > 0 && has_at(n, 0, no_axis) && has_at(n, 1, x.rank + axis - 1);
      case op_kind::routine: return runs_along(n, axis);
      case op_kind::iota: return axis == 0;  // numbers count on from piece to piece
      case op_kind::loop_row:
      case op_kind::loop_carried: return has_at(n, 0, axis + 1);
      case op_kind::loop_rows: return has_at(n, 0, axis - 1) && !is_repeated_along(n);
      case op_kind::loop_last: return has_at(n, 0, axis) && !is_repeated_along(n);
      default: return false;
    }
  }
  constexpr bool runs_along(const node& n, int axis) const {
    bool has_any = false;
    for (int i = 0; i < n.count; ++i) {
      const int of_operand = n.op->routine->batch(n.attr, i, axis);
      if (!has_at(n, i, of_operand)) return false;
      has_any = has_any || of_operand != no_axis;
    }
    return has_any;
  }
  /// Whether the number of iterations of a loop depends on the dimension.
  constexpr bool is_repeated_along(const node& result) const {
    return depends_on(f_.symbols, loop_result_form::of(result.attr).iterations, dimension_);
  }
  /// Whether two shapes have the same extents, multiplied, before these axes.
  constexpr bool same_before(const shape& x, int x_axis, const shape& y, int y_axis) const {
    std::int64_t of_x = 1, of_y = 1;
    for (int i = 0; i < x_axis; ++i) of_x = x[i] < 0 ? -1 : of_x * x[i];
    for (int i = 0; i < y_axis; ++i) of_y = y[i] < 0 ? -1 : of_y * y[i];
    return of_x == of_y && of_x >= 0;
  }
  /// Whether a node combines slices, of which each is computed from the same slices of its operands.
  constexpr bool combines(const node& n) const {
    const int x = axis_of_node(operand(n, 0));
    if (n.op->kind == op_kind::reduce) return combination_index(n) >= 0;
    if (n.op->kind == op_kind::dot)
      return x == shape_of(operand(n, 0)).rank - 1 && has_at(n, 1, shape_of(operand(n, 1)).rank - 2);
    return n.op->kind == op_kind::scatter_add && x >= 0 && has_at(n, 1, x);
  }
};

}  // namespace kroton::passes
