// This pass moves work out of loops. Products of rows of a sequence with what all iterations share are one product
// before the loop, and products that no iteration needs are one product after it. What is only added up is added up in
// the loop, so that its rows are not kept.
//
//     %3 = dot(row of %0, %1) in loop 0      ->  %3 = dot(%0, %1), and row of %3 in loop 0
//     sum(loop_rows(dot(transpose(%5), %6))) ->  dot(transpose(loop_rows(%5)), loop_rows(%6)), of all rows at once
//     sum(loop_rows(%7))                     ->  loop_last(%8), where %8 = %8 of the iteration before + %7
#pragma once

#include <kroton/graph/lifted.hpp>
#include <kroton/passes/live.hpp>

namespace kroton::passes {

/// Finds which nodes of bodies run before or after their loops.
template <class Graph>
class code_motion_facts {
 public:
  struct fact {
    bool is_before = false;  ///< depends on rows of sequences alone, so that all rows can be computed before the loop
    bool goes_back = false;  ///< of those: the direction of the rows
    bool is_stored = false;  ///< of those: all rows are in memory before the loop, and iterations read them
    bool is_after = false;   ///< is computed after the loop, of all rows at once
    bool is_only_added = true;  ///< of rows: only sums over them read them; of values: only such rows do
    bool is_only_kept = true;   ///< only rows, and what runs after the loop, read it
    bool has_rows = false;      ///< all rows are in memory after the loop
  };

  constexpr explicit code_motion_facts(const Graph& f)
      : live(live_nodes(f)), f_(f), facts_(f.size.nodes, {}), is_guarded_(f.size.loops, false) {
    for (int id = 0; id < f.size.nodes; ++id)
      if (live[id] && is_loop_result(f.nodes[id].op->kind) && guard_of(f, f.nodes[id]) >= 0)
        is_guarded_[loop_row_form::loop_number(f.nodes[id].attr)] = true;
    for (int id = 0; id < f.size.nodes; ++id)
      if (live[id] && may_move(id)) find_sequence_value(id);
    for (int i = 0; i < f.size.outputs; ++i) facts_[f.outputs[i]].is_only_added = false;
    for (int i = 0; i < f.size.updates; ++i) facts_[f.updates[i].source].is_only_added = false;
    for (int id = f.size.nodes - 1; id >= 0; --id)
      if (live[id]) find_what_follows(id);
    for (int id = f.size.nodes - 1; id >= 0; --id) {
      fact& x = facts_[id];
      if (live[id] && may_move(id) && f.nodes[id].op->id == id_of<ops::sum> && !x.is_before && x.is_only_kept)
        x.is_after = x.is_only_added && facts_[viewed(operand(id, 0))].has_rows;
    }
  }
  constexpr const fact& operator[](int id) const { return facts_[id]; }

  array_list<bool> live;

  constexpr int operand(int id, int i) const { return f_.operands[f_.nodes[id].first + i]; }
  constexpr int body(int id) const { return body_of(f_.nodes[id].loops); }
  constexpr bool is_in(int id, int loop) const { return (f_.nodes[id].loops & set_of_loop(loop)) != 0; }
  /// Whether both operands of a product differ from one iteration to the next.
  constexpr bool multiplies_rows(int id) const {
    return f_.nodes[id].op->kind == op_kind::dot && is_in(operand(id, 0), body(id)) && is_in(operand(id, 1), body(id));
  }
  /// Whether a node is a sum over all rows of a loop, and these are needed for nothing else.
  constexpr bool adds_rows(int id) const {
    const node& n = f_.nodes[id];
    return n.op->id == id_of<ops::sum> && reduction_form::of(n.attr).is_over(0) &&
           f_.nodes[operand(id, 0)].op->kind == op_kind::loop_rows;
  }

 private:
  const Graph& f_;
  array_list<fact> facts_;
  array_list<bool> is_guarded_;  // of each loop: whether it may not run

  /// Whether a node may be computed outside the innermost loop that it is in.
  constexpr bool may_move(int id) const { return body(id) >= 0 && !is_guarded_[body(id)]; }
  constexpr bool is_view_in_body(int id) const {
    const op_kind kind = f_.nodes[id].op->kind;
    return is_view(kind) && kind != op_kind::loop_row;
  }
  /// The node of the same body of which node `id` is a view.
  constexpr int viewed(int id) const {
    while (is_view_in_body(id) && body(operand(id, 0)) == body(id)) id = operand(id, 0);
    return id;
  }
  constexpr bool is_liftable(int id) const {
    const node& n = f_.nodes[id];
    shape shapes[4];
    bool varies[4] = {};
    if (n.count == 0 || n.count > 4) return false;
    for (int i = 0; i < n.count; ++i) {
      shapes[i] = f_.shapes[f_.nodes[operand(id, i)].shape];
      varies[i] = is_in(operand(id, i), body(id));
    }
    return can_lift(n, f_.shapes[n.shape], shapes, varies);
  }
  constexpr void find_sequence_value(int id) {
    const node& n = f_.nodes[id];
    fact& mine = facts_[id];
    if (n.op->kind == op_kind::loop_row) {
      mine.is_before = true;
      mine.goes_back = loop_row_form::of(n.attr).goes_back;
      return;
    }
    if (!is_liftable(id)) return;
    bool is_first = true;
    for (int i = 0; i < n.count; ++i) {
      if (!is_in(operand(id, i), body(id))) continue;
      const fact& x = facts_[operand(id, i)];
      if (!x.is_before || (!is_first && x.goes_back != mine.goes_back)) return;
      mine.goes_back = x.goes_back;
      is_first = false;
    }
    mine.is_before = true;
    if (n.op->kind != op_kind::dot) return;
    mine.is_stored = true;
    for (int i = 0; i < n.count; ++i)
      if (const int x = viewed(operand(id, i)); body(x) == body(id) && f_.nodes[x].op->kind != op_kind::loop_row)
        facts_[x].is_stored = true;
  }
  /// Finds whether a node runs after its loop, when all that reads it is known, and notes what it reads.
  constexpr void find_what_follows(int id) {
    const node& n = f_.nodes[id];
    fact& mine = facts_[id];
    if (may_move(id) && mine.is_only_kept && !mine.is_before) {
      const bool adds_products = mine.is_only_added && multiplies_rows(id) && f_.shapes[n.shape].rank == 2;
      const bool is_one_product = n.op->kind == op_kind::dot && is_liftable(id);
      mine.is_after = adds_products || is_one_product || (is_view_in_body(id) && is_liftable(id));
    }
    const bool adds = adds_rows(id);
    for (int i = 0; i < n.count; ++i) {
      const int x = operand(id, i);
      fact& read = facts_[x];
      if (n.op->kind == op_kind::loop_rows && i == 0) {
        // the rows that an inner loop makes are not those of this one
        read.is_only_added = read.is_only_added && mine.is_only_added && f_.nodes[x].op->kind != op_kind::loop_rows;
        if (!mine.is_only_added) facts_[viewed(x)].has_rows = true;
        continue;
      }
      read.is_only_added = read.is_only_added && adds;
      if (!mine.is_after || body(x) != body(id)) read.is_only_kept = false;
      else if (n.op->kind == op_kind::dot) facts_[viewed(x)].has_rows = true;
    }
  }
};

/// Writes a graph anew, with less in its loops.
template <class Graph>
class code_motion {
 public:
  constexpr code_motion(const Graph& f, graph& g)
      : f_(f), g_(g), facts_(f), renamed_(f.size.nodes, -1), iterations_(f.size.loops, 0),
        carried_count_(f.size.loops, 0),
        goes_back_(f.size.loops, false), rows_{array_list<int>(f.size.nodes, -1), array_list<int>(f.size.nodes, -1)} {
    thaw_frame(f, g);
    for (int id = 0; id < f.size.nodes; ++id)
      if (facts_.live[id]) note_loop(id);
    for (int id = 0; id < f.size.nodes; ++id)
      if (facts_.live[id]) renamed_[id] = written(id);
    for (int i = 0; i < f.size.outputs; ++i) g.outputs.push_back(renamed_[f.outputs[i]]);
    for (int i = 0; i < f.size.updates; ++i)
      g.updates.push_back(update_entry{f.updates[i].target, renamed_[f.updates[i].source]});
  }

 private:
  const Graph& f_;
  graph& g_;
  code_motion_facts<Graph> facts_;
  array_list<int> renamed_;             // of each node: that in the new graph
  array_list<extent_code> iterations_;  // of each loop
  array_list<int> carried_count_;       // of each loop: the number of the next variable
  array_list<bool> goes_back_;          // of each loop: whether it reads rows of sequences from the last one on
  array_list<int> rows_[2];  // of each node of a body: all its rows in the new graph, in both directions, -1: none yet
  array_list<carried_pair> pairs_;

  constexpr int operand(int id, int i) const { return facts_.operand(id, i); }

  constexpr void note_loop(int id) {
    const node& n = f_.nodes[id];
    if (n.op->kind == op_kind::loop_row) goes_back_[facts_.body(id)] = loop_row_form::of(n.attr).goes_back;
    if (n.op->kind == op_kind::loop_carried) {
      const loop_carried_form form = loop_carried_form::of(n.attr);
      if (carried_count_[form.loop] <= form.number) carried_count_[form.loop] = form.number + 1;
    }
    if (!is_loop_result(n.op->kind)) return;
    const loop_result_form form = loop_result_form::of(n.attr);
    iterations_[form.loop] = form.iterations;
    note_carried(pairs_, f_, id);
  }
  /// The carried variables of a loop that have new values in the new graph.
  constexpr carried_variables variables(int loop) {
    carried_variables found(g_, loop, iterations_[loop]);
    for (const carried_pair& pair : pairs_)
      if (pair.loop == loop && renamed_[pair.next] >= 0)
        found.add({&g_, renamed_[pair.carried]}, {&g_, renamed_[pair.next]});
    return found;
  }

  constexpr int written(int id) {
    const node& n = f_.nodes[id];
    const auto& mine = facts_[id];
    if (mine.is_stored) {
      const int loop = facts_.body(id);
      const extent_code last = g_.extents.subtract(iterations_[loop], 1);
      return loop_row_term(rows(id, mine.goes_back), {loop, mine.goes_back, mine.goes_back ? last : 0}).id;
    }
    if (n.op->kind == op_kind::loop_rows) {
      const int x = operand(id, 0);
      const bool goes_back = loop_rows_form::of(n.attr).reversed;
      if (mine.is_only_added) return -1;  // the sums write what they need
      if (facts_[x].is_after || (facts_[x].is_before && facts_[x].goes_back == goes_back)) return rows(x, goes_back).id;
    }
    if (facts_.adds_rows(id) && facts_[operand(id, 0)].is_only_added)
      return total(operand(operand(id, 0), 0), reduction_form::of(n.attr).axes, n.type).id;
    array_list<int> operands;
    for (int i = 0; i < n.count; ++i) operands.push_back(renamed_[operand(id, i)]);
    return g_.add(n.op, n.type, n.shape, n.attr, operands.begin(), n.count);
  }

  /// All rows of a node of a body, in the order of the iterations or the other way round.
  constexpr term rows(int id, bool goes_back) {
    if (rows_[goes_back][id] < 0) {
      const term made = new_rows(id, goes_back);
      rows_[goes_back][id] = made.id;
    }
    return {&g_, rows_[goes_back][id]};
  }
  constexpr term new_rows(int id, bool goes_back) {
    const node& n = f_.nodes[id];
    const int loop = facts_.body(id);
    if (n.op->kind == op_kind::loop_row && facts_[id].goes_back == goes_back) {
      extent_code first = loop_row_form::of(n.attr).first;
      if (goes_back) first = g_.extents.subtract(first, g_.extents.subtract(iterations_[loop], 1));
      return slice_term({&g_, renamed_[operand(id, 0)]}, {0, 1, first}, iterations_[loop]);
    }
    const bool is_before = facts_[id].is_before && n.op->kind != op_kind::loop_row && facts_[id].goes_back == goes_back;
    if (is_before || (facts_[id].is_after && !facts_.multiplies_rows(id))) {
      array_list<lifted_operand> operands;
      for (int i = 0; i < n.count; ++i) {
        const int x = operand(id, i);
        const bool varies = facts_.is_in(x, loop);
        operands.push_back({varies ? rows(x, goes_back) : term{&g_, renamed_[x]}, varies});
      }
      return lifted(g_, n, f_.shapes[n.shape], operands);
    }
    if (n.op->kind == op_kind::loop_carried && !goes_back) {
      const loop_carried_form form = loop_carried_form::of(n.attr);
      return slice_term(variables(loop).history(renamed_[id]), {0, 1, form.kept - form.back}, iterations_[loop]);
    }
    return variables(loop).rows({&g_, renamed_[id]}, goes_back);
  }
  /// The direction of rows that may have either: that of the rows of a sequence that node `id` is made of, else that of
  /// the loop.
  constexpr bool direction_of(int id) const {
    const node& n = f_.nodes[id];
    if (n.op->kind == op_kind::loop_row) return facts_[id].goes_back;
    if (is_view(n.op->kind)) return direction_of(operand(id, 0));
    return goes_back_[facts_.body(id)];
  }
  /// The sum over all rows of node `id`, and over the axes of `mask` after that of the rows.
  constexpr term total(int id, std::int64_t mask, dtype type) {
    const auto& x = facts_[id];
    if (x.is_after && facts_.multiplies_rows(id)) return added(sum_of_products(id), mask >> 1, type);
    const int loop = facts_.body(id);
    if (x.is_before) return added(rows(id, x.goes_back), mask, type);
    if (x.is_after && f_.nodes[id].op->kind == op_kind::reduce && mask == 1)
      return added(rows(operand(id, 0), goes_back_[loop]), 1 | reduction_form::of(f_.nodes[id].attr).axes << 1, type);
    if (x.is_after) return added(rows(id, direction_of(id)), mask, type);
    const dtype carried_type = computed_in(type);
    const term more = added(cast({&g_, renamed_[id]}, carried_type), mask >> 1, carried_type);
    const shape row = more.extents();
    const term zeros = broadcast_term(constant(g_, carried_type, 0), rows_of(1, row));
    const term before = loop_carried_term(zeros, {loop, carried_count_[loop]++, 1, 1});
    carried_variables all = variables(loop);
    const int number = all.add(before, before + more);
    return cast(all.last(number), type);
  }
  constexpr term added(term x, std::int64_t mask, dtype type) {
    return cast(mask == 0 ? x : reduce_term<ops::sum>(x, mask), type);
  }
  /// The sum over all rows of the product that node `id` is: one product of matrices in which the rows follow each
  /// other.
  constexpr term sum_of_products(int id) {
    const bool goes_back = direction_of(operand(id, 0));
    return dot_term(side_by_side(operand(id, 0), goes_back), on_top(rows(operand(id, 1), goes_back)));
  }
  /// (count, k, n) as (count * k, n).
  constexpr term on_top(term rows) {
    const shape s = rows.extents();
    return reshape_term(rows, {2, {g_.extents.multiply(s[0], s[1]), s[2]}});
  }
  /// The rows (m, k) of node `id` as (m, count * k).
  constexpr term side_by_side(int id, bool goes_back) {
    const node& n = f_.nodes[id];
    const std::int64_t turned = matrix_transpose(2);
    if (n.op->kind == op_kind::transpose && facts_.is_in(operand(id, 0), facts_.body(id)))
      return transpose_term(on_top(rows(operand(id, 0), goes_back)), turned);
    const term all = rows(id, goes_back);
    const shape s = all.extents();
    if (s[2] == 1) return transpose_term(reshape_term(all, {2, {s[0], s[1]}}), turned);
    return reshape_term(transpose_term(all, 0x201), {2, {s[1], g_.extents.multiply(s[0], s[2])}});
  }
};

}  // namespace kroton::passes
