// This header has what the backward rule of an operation sees: operands, result, the gradient that arrives (`seed`),
// and `add`, which adds to the gradient of an operand.
//
//     ops::mul::backward(b)  ->  b.add(0, b.seed() * b.operand(1)), b.add(1, b.seed() * b.operand(0))
#pragma once

#include <kroton/graph/term.hpp>

namespace kroton::graph {

/// What forward mode asks the rule of an operation for: how the result changes with one operand.
struct tangent_part {
  int operand;  ///< node
  term sum;     ///< of what the rule adds for it, which has the shape of the result
};

class backprop {
 public:
  /// `line`: of the user's call, for mistakes.
  constexpr backprop(graph& g, int id, const adjoint& seed, cost_adjoints& found, unsigned line)
      : graph_(g), id_(id), seed_(seed), found_(&found), line_(line) {}
  /// For forward mode: the seed is the tangent of the operand of `part`. Elementwise, the change of the result is the
  /// gradient of the operand with that as the gradient of the result.
  constexpr backprop(graph& g, int id, term seed, tangent_part& part, unsigned line)
      : graph_(g), id_(id), seed_{seed.id, -1, -1}, part_(&part), line_(line) {}

  constexpr term operand(int i) const { return {&graph_, node_of(i)}; }
  constexpr int count() const { return graph_.nodes.items[id_].count; }
  constexpr term result() const { return {&graph_, id_}; }
  /// Gradient of the cost with respect to the result; it has the result's shape. Of an elementwise operation, it may be
  /// anything where no gradient arrives (graph/reach.hpp).
  constexpr term seed() const { return {&graph_, seed_.value}; }
  constexpr const attributes& attr() const { return graph_.nodes.items[id_].attr; }
  /// Whether anybody asks for the gradient with respect to operand `i`; `add` does nothing where nobody does.
  constexpr bool wants(int i) const {
    return part_ != nullptr ? part_->operand == node_of(i) : found_->fresh.items[node_of(i)];
  }
  /// Adds to the gradient of operand `i`; sums over the axes along which the operand was broadcast.
  constexpr void add(int i, term contribution);
  /// The same where `condition` holds; elsewhere the operand gets no gradient, whatever `contribution` is there.
  constexpr void add_where(int i, term condition, term contribution);

 private:
  graph& graph_;
  int id_;
  adjoint seed_;
  cost_adjoints* found_ = nullptr;  ///< of reverse mode
  tangent_part* part_ = nullptr;    ///< of forward mode
  unsigned line_;

  /// The node of operand `i`; of the first one, after a report, if there is no operand `i`.
  constexpr int node_of(int i) const {
    if (i >= 0 && i < count()) return graph_.operand(id_, i);
    report_rule();
    return graph_.operand(id_, 0);
  }
  constexpr void report_rule() const {
    graph_.report({.what = mistake::backward, .line = line_, .operation = graph_.nodes.items[id_].op->name});
  }
  /// Whether `contribution` has the element type of node `x`, and its extents, perhaps broadcast.
  constexpr bool is_gradient_of(int x, term contribution) const;
  constexpr bool is_source(int x) const { return graph_.nodes.items[x].count == 0; }
  /// `contribution` to the gradient of node `x`, and where it arrives.
  constexpr adjoint arriving(int x, term contribution) const;
  constexpr void add_to(int x, adjoint more);
  constexpr void add_to_part(term contribution) const;
};

}  // namespace kroton::graph
