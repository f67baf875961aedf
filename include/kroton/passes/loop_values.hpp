// This header decides which nodes of a body the results of its loop have.
//
//     %5 = reshape(%4) in loop 0, %6 = loop_rows(%5)  ->  %6 = loop_rows(%7), where %7 = copy(%5) is written in each
//     row
#pragma once

#include <kroton/passes/views.hpp>

namespace kroton::passes {

/// The values of a body that the results of a loop have. Each is a node that a kernel writes in each iteration, and it
/// lies in the rows of one result.
class loop_values {
 public:
  constexpr explicit loop_values(graph& g) : graph_(g) {}

  /// Replaces the operands of a result by nodes that can be kept.
  constexpr void lay_out(const node& n, array_list<int>& args) {
    const int loop = loop_row_form::loop_number(n.attr);
    const extent_code iterations = loop_result_form::of(n.attr).iterations;
    const bool has_rows = n.op->kind == op_kind::loop_rows;
    for (int i = first_carried(n.op->kind) + 1; i < args.size(); i += 2) args[i] = written(args[i], loop, iterations);
    if (has_rows) args[0] = alone(written(args[0], loop, iterations), loop);
  }

 private:
  graph& graph_;
  struct renamed {
    int from, loop, to;
  };
  array_list<renamed> written_;
  array_list<int> in_rows_;  // nodes that lie in the rows of a result

  /// Node `id`, or a copy that iterations write.
  constexpr int written(int id, int loop, extent_code iterations) {
    const node n = graph_.nodes[id];
    if (const int same = before_reshapes(id); is_computed(graph_.nodes[same]) && body_of(n.loops) == loop) return same;
    for (const renamed& r : written_)
      if (r.from == id && r.loop == loop) return r.to;
    int made = id;
    if (body_of(n.loops) != loop) {  // it is the same in all iterations
      const term row = loop_row_term(iota(graph_, dtype::int64, iterations), {loop, false, 0});
      const int operands[] = {(row >= 0).id, id, id};
      made = graph_.add(op<ops::where>, n.type, n.shape, {}, operands, 3);
    } else {
      made = graph_.add(op<ops::copy>, n.type, n.shape, copy_form{-1 - loop}, &id, 1);
    }
    written_.push_back({id, loop, made});
    return made;
  }
  /// The node that has the elements of node `id` in the same order.
  constexpr int before_reshapes(int id) const {
    while (graph_.nodes[id].op->kind == op_kind::reshape) id = graph_.operand(id, 0);
    return id;
  }
  /// Node `id`, or a copy, if the rows of another result have it.
  constexpr int alone(int id, int loop) {
    int copies = 0;
    while (in_rows_.contains(id)) {
      const node n = graph_.nodes[id];
      id = graph_.add(op<ops::copy>, n.type, n.shape, copy_form{-1 - loop - 64 * ++copies}, &id, 1);
    }
    in_rows_.push_back(id);
    return id;
  }
};

/// Whether a node is a tensor and then the rows that a loop makes, such as what a carried variable begins with and each
/// new value of it. The loop can write its rows there.
template <class Graph>
constexpr bool is_history(const Graph& g, const node& n) {
  if (n.op->kind != op_kind::concatenate || n.count != 2 || concatenate_form::of(n.attr).axis != 0) return false;
  const int begin = g.operands[n.first], rows = g.operands[n.first + 1];
  const node& r = g.nodes[rows];
  return begin < rows && r.op->kind == op_kind::loop_rows && !loop_rows_form::of(r.attr).reversed && r.place == n.place;
}

}  // namespace kroton::passes
