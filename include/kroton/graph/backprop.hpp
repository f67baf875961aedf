// What the derivative of an operation sees: its operands, its result, the gradient that arrives, and where to add.
#pragma once

#include <kroton/graph/term.hpp>

namespace kroton {

class backprop {
 public:
  constexpr backprop(graph& g, int id, term seed, const array_list<bool>& wanted, array_list<int>& adjoints)
      : graph_(g), id_(id), seed_(seed), wanted_(wanted), adjoints_(adjoints) {}

  constexpr term operand(int i) const { return {&graph_, graph_.operand(id_, i)}; }
  constexpr int count() const { return graph_.nodes.items[id_].count; }
  constexpr term result() const { return {&graph_, id_}; }
  /// Gradient of the cost with respect to the result; it has the result's shape.
  constexpr term seed() const { return seed_; }
  constexpr const attributes& attr() const { return graph_.nodes.items[id_].attr; }
  /// Whether anybody asks for the gradient with respect to operand `i`.
  constexpr bool wants(int i) const { return wanted_.items[graph_.operand(id_, i)]; }
  /// Adds to the gradient of operand `i`; sums over the axes along which the operand was broadcast.
  constexpr void add(int i, term contribution);

 private:
  graph& graph_;
  int id_;
  term seed_;
  const array_list<bool>& wanted_;
  array_list<int>& adjoints_;
};

}  // namespace kroton
