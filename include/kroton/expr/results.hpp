// This header has what a captured function returns: outputs, and updates of shared variables.
#pragma once

#include <kroton/expr/foreign.hpp>
#include <kroton/expr/model.hpp>
#include <kroton/graph/gradient.hpp>

namespace kroton {

namespace typed {
// Functions that can refuse their arguments return `auto`, so that g++ instantiates it where the user's line is near.

namespace functions {
struct grad;
}  // namespace functions

/// New values of shared variables, in no order: every right-hand side sees the old values.
class update_list {
 public:
  array_list<update_entry> items;
  constexpr void add(term variable, term value) {
    items.push_back({variable_form::of(variable.get().attr).position, value.id});
  }
  friend constexpr update_list operator+(const update_list& x, const update_list& y) {
    update_list both = x;
    both.items.append(y.items);
    return both;
  }
};

/// The mistake in an update of `Variable` to `Value`.
template <class Variable, class Value>
constexpr complaint update_problem() {
  if constexpr (!is_shared<Variable>) return complaint::list_of_updates;
  else if constexpr (!expression<Value>) return complaint::update;
  else
    return std::is_same_v<typename Value::expression, typename Variable::expression> ? complaint::none
                                                                                     : complaint::update;
}
}  // namespace typed

/// `update(W, W - rate * g)`: the new value of one shared variable; it must have W's element type and extents.
template <class Variable, class Value>
constexpr auto update(const Variable& variable, const Value& value) {
  constexpr typed::complaint problem = typed::update_problem<Variable, Value>();
  typed::update_list list;
  if constexpr (problem == typed::complaint::none) {
    const term of = variable.untyped(), to = value.untyped();
    if (of.owner == to.owner) list.add(of, to);
    else if (of.owner != nullptr && to.owner != nullptr && to.owner->is_temporary)
      list.add(of, graph::imported(*of.owner, to));
    else if (to.owner != nullptr)
      to.owner->report(of.owner == nullptr ? graph::mistake::refused : graph::mistake::other_model);
  } else {
    typed::reject<problem, Variable, Value>();
    if constexpr (expression<Variable>) typed::typed_layer::refused<typename Variable::expression>(variable);
  }
  return list;
}

namespace typed {
/// One replacement of `givens`.
struct given_entry {
  int from = 0, to = 0;  ///< nodes
  unsigned line = 0;     ///< of the user's source
};
/// A list has several replacements: kt::optim::average makes one for each parameter.
class given_list {
 public:
  array_list<given_entry> items;
};
/// What becomes of each of the first `count` nodes of a graph: a node that an entry names becomes what the entry says,
/// which is not itself looked into, and any other node computes with what its operands become.
constexpr array_list<int> replaced(graph& g, int count, const array_list<given_entry>& entries) {
  array_list<int> renamed(count, -1);
  array_list<int> args;
  for (int id = 0; id < count; ++id) {
    const node n = g.nodes[id];
    args.clear();
    for (int i = 0; i < n.count; ++i) args.push_back(renamed[g.operand(id, i)]);
    renamed[id] = g.add(n.op, n.type, n.shape, n.attr, args.begin(), n.count);
    for (const given_entry& e : entries)
      if (e.from == id) renamed[id] = e.to;
  }
  return renamed;
}
template <class Given>
inline constexpr bool is_given = std::is_same_v<Given, given_entry> || std::is_same_v<Given, given_list>;
}  // namespace typed

/// `given(x, y)`: y in place of x; both have one element type and the same extents.
template <expression X, expression Y>
constexpr auto given(const X& from, const Y& to, unsigned line = __builtin_LINE()) {
  if constexpr (!std::is_same_v<typename X::expression, typename Y::expression>) {
    typed::reject<typed::complaint::given, typename X::expression, typename Y::expression>();
    typed::typed_layer::refused<typename X::expression>(from);
  }
  graph::graph& g = *typed::typed_layer::graph_of(from, to);
  return typed::given_entry{typed::typed_layer::term_in(g, from).id, typed::typed_layer::term_in(g, to).id, line};
}

namespace typed {
/// Outputs (and updates) of a function; `Out...` are their expression types.
template <class... Out>
class results {
 public:
  constexpr explicit results(const Out&... out) : terms_{out.untyped()...} {}

  /// Adds updates: `update(W, ...)`s and lists of them, such as optimisers make.
  template <class... Updates>
  constexpr auto updates(const Updates&... lists) {
    if constexpr ((std::derived_from<Updates, update_list> && ...)) {
      (updates_.items.append(lists.items), ...);
    } else {
      reject<foreign_layer::problem<Updates...> == complaint::said ? complaint::said : complaint::list_of_updates,
             Updates...>();
      refused = true;
    }
    return *this;
  }
  /// Replaces expressions in all outputs and new values, at once: a replacement is not itself looked into.
  template <class... Given>
  constexpr auto givens(const Given&... list) {
    if constexpr ((is_given<Given> && ...)) {
      (add_given(list), ...);
    } else {
      reject<complaint::given_list, Given...>();
      refused = true;
    }
    return *this;
  }
  /// Does without the default updates of these shared variables, or without all: a function that draws random numbers
  /// then draws the same numbers in each call.
  template <class... Variable>
  constexpr auto no_default_updates(const Variable&... variables) {
    if constexpr ((is_shared<Variable> && ...)) {
      (frozen_.push_back(variable_form::of(variables.untyped().get().attr).position), ...);
      all_frozen_ = all_frozen_ || sizeof...(Variable) == 0;
    } else {
      reject<complaint::frozen_variables, Variable...>();
      refused = true;
    }
    return *this;
  }
  static constexpr int count = sizeof...(Out);
  bool refused = false;  ///< something in it was, which has been said
  constexpr const term* terms() const { return terms_; }
  constexpr const array_list<given_entry>& all_givens() const { return givens_; }
  constexpr const update_list& all_updates() const { return updates_; }
  /// Whether the function has the default update of shared variable `i`.
  constexpr bool has_default(int i) const {
    bool has = !all_frozen_;
    for (const int each : frozen_) has = has && each != i;
    return has;
  }

 private:
  term terms_[sizeof...(Out) + 1] = {};
  update_list updates_;
  array_list<int> frozen_;  // shared variables without their default updates
  bool all_frozen_ = false;
  array_list<given_entry> givens_;

  constexpr void add_given(const given_entry& one) { givens_.push_back(one); }
  constexpr void add_given(const given_list& several) { givens_.append(several.items); }
};
}  // namespace typed

/// Several outputs: `return kt::outputs(cost, error);`, none: `kt::outputs()`.
template <class... Out>
constexpr auto outputs(const Out&... out) {
  if constexpr ((expression<Out> && ...)) {
    return typed::results<typename Out::expression...>(static_cast<const typename Out::expression&>(out)...);
  } else {
    typed::reject<typed::foreign_layer::problem<Out...> == typed::complaint::said ? typed::complaint::said
                                                                                  : typed::complaint::output,
                  Out...>();
    typed::results<> none;
    none.refused = true;
    return none;
  }
}
/// No outputs, only updates.
template <class... Updates>
constexpr auto updates(const Updates&... lists) {
  return typed::results<>().updates(lists...);
}

namespace typed {
/// Notes that a cost does not depend on `x`, or not so that there is a gradient.
constexpr void report_disconnected(term x, unsigned line) {
  const node n = x.get();
  const int position = variable_form::of(n.attr).position;
  x.owner->report({.what = is_floating(n.type) ? mistake::disconnected_gradient : mistake::integer_gradient,
                   .line = line,
                   .argument = n.op->id == id_of<ops::input> ? position : -1,
                   .shared = n.op->id == id_of<ops::shared> ? position : -1});
}

/// The mistake in a cost, or in the variables of its gradient.
template <class C, class X>
constexpr complaint grad_problem() {
  if constexpr (!expression<C> || !(expression<X> || std::is_same_v<X, parameter_list>))
    return complaint::grad_operands;
  else if (C::rank != 0) return complaint::cost_rank;
  else if (!is_floating(dtype_of<typename C::element>)) return complaint::cost_type;
  else if constexpr (expression<X>)
    return is_floating(dtype_of<typename X::element>) ? complaint::none : complaint::wanted_type;
  else return complaint::none;
}
}  // namespace typed

/// Gradient of the scalar `cost` with respect to a variable (or any expression that `cost` was computed from). It is
/// zero where the cost depends on the variable only through what is piecewise constant, such as `floor` and
/// comparisons.
template <class C, class X = graph::in_braces>
constexpr auto grad(const C& cost, const X& x, unsigned line = __builtin_LINE()) {
  constexpr typed::complaint problem = typed::grad_problem<C, X>();
  if constexpr (problem == typed::complaint::grad_operands) {
    typed::reject<problem, typed::functions::grad, C, X>();
    if constexpr (expression<X>) return typed::typed_layer::refused<typename X::expression>(x);
    else if constexpr (expression<C>) return typed::typed_layer::refused<typename C::expression>(cost);
  } else if constexpr (problem != typed::complaint::none) {
    typed::reject<problem, typed::functions::grad, typename C::expression, typename X::expression>();
    return typed::typed_layer::refused<typename X::expression>(x);
  } else {
    graph::array_list<term> wanted;
    graph::graph& common = *typed::typed_layer::graph_of(cost, x);
    const term of = typed::typed_layer::term_in(common, x);
    wanted.push_back(of);
    const term g = graph::gradients(typed::typed_layer::term_in(common, cost), wanted, line)[0];
    if (!g.valid()) typed::report_disconnected(of, line);
    return typename X::expression(g.valid() ? g : of);
  }
}

/// Refused: not a cost and what to differentiate it with respect to.
template <class... Wrong>
constexpr auto grad(const Wrong&... wrong) {
  typed::reject<typed::complaint::grad_operands, typed::functions::grad, Wrong...>();
  return typed::foreign_layer::stand_in<typed::functions::grad>(wrong...);
}

/// The gradients of a cost with respect to each of a list of parameters, which it knows: `kt::grad(cost,
/// parameters())`.
class gradient_list : public graph::array_list<term> {
 public:
  graph::array_list<term> parameters;  ///< of each gradient

  constexpr gradient_list() = default;
  constexpr gradient_list(const graph::array_list<term>& gradients, const graph::array_list<term>& of)
      : array_list(gradients), parameters(of) {}
};

/// Gradients with respect to all of `parameters`, in their order.
template <class C>
constexpr auto grad(const C& cost, const parameter_list& parameters, unsigned line = __builtin_LINE()) {
  constexpr typed::complaint problem = typed::grad_problem<C, parameter_list>();
  if constexpr (problem != typed::complaint::none) {
    typed::reject<problem, typed::functions::grad, C, parameter_list>();
    for (const term& p : parameters.items) p.owner->problem = {graph::mistake::refused};
    return gradient_list(parameters.items, parameters.items);
  } else {
    gradient_list list(graph::gradients(cost.untyped(), parameters.items, line), parameters.items);
    for (int i = 0; i < list.size(); ++i)
      if (!list[i].valid()) {
        typed::report_disconnected(parameters.items[i], line);
        list[i] = parameters.items[i];
      }
    return list;
  }
}

}  // namespace kroton
