// This header has the operation custom_gradient, a value with a gradient that somebody wrote, and arriving_gradient,
// the node that stands for the gradient in what was written.
//
//     y = f(x), %3 = arriving_gradient(y), %4 = backward(%3, x)   ->  %5 = custom_gradient(y, x), with %4 for x
//     the gradient %9 arrives at %5                               ->  a copy of %4 with %9 in place of %3
#pragma once

#include <kroton/graph/backprop.hpp>
#include <kroton/graph/elementwise.hpp>
#include <kroton/graph/substituted.hpp>

namespace kroton {
namespace ops {
/// This node stands for the gradient that arrives at its operand. Its value is the operand's, so that forward mode also
/// takes it where it needs another node of the same value.
struct arriving_gradient : elementwise<arriving_gradient, 1, operands::floating> {
  static constexpr const char* name = "arriving_gradient";
  static constexpr bool identity_value = true;
  static constexpr bool linear = true;
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    return x;
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed());
  }
};
/// Operands: a value, and what it is computed from. Result: the value. Attributes: custom_form.
struct custom_gradient {
  static constexpr op_kind kind = op_kind::custom_gradient;
  static constexpr const char* name = "custom_gradient";
  static constexpr bool identity_value = true;
  template <class B>
  static constexpr void backward(B& b) {
    graph& g = *b.result().owner;
    const custom_rule rule = g.custom_rules[custom_form::of(b.attr()).number];
    array_list<replacement> arrives;
    arrives.push_back({rule.arriving, b.seed().id});
    const substitution gradients(g, arrives, rule.gradients);
    for (int i = 1; i < b.count(); ++i)
      if (b.wants(i)) b.add(i, term{&g, gradients[rule.gradients[i - 1]]});
  }
};
}  // namespace ops

namespace graph {
constexpr term arriving_gradient(term y) {
  return {y.owner, y.owner->add(op<ops::arriving_gradient>, y.type(), y.get().shape, {}, &y.id, 1)};
}
/// `y` with other gradients: `gradients[i]`, where `arriving` stands for that of `y`, is what `x[i]` gets.
constexpr term custom_gradient_term(term y, const array_list<term>& x, term arriving, const array_list<term>& gradients,
                                    bool is_recomputed, bool is_exact) {
  graph& g = *y.owner;
  custom_rule rule{arriving.id, {}, is_recomputed, is_exact};
  array_list<int> operands;
  operands.push_back(y.id);
  for (int i = 0; i < x.size(); ++i) {
    operands.push_back(x[i].id);
    rule.gradients.push_back(gradients[i].id);
  }
  g.custom_rules.push_back(rule);
  return {&g, g.add(op<ops::custom_gradient>, y.type(), y.get().shape, custom_form{g.custom_rules.size() - 1},
                    operands.begin(), operands.size())};
}
}  // namespace graph

}  // namespace kroton
