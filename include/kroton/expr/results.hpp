// What a captured function returns: outputs, and updates of shared variables.
#pragma once

#include <kroton/expr/model.hpp>
#include <kroton/graph/gradient.hpp>

namespace kroton {

/// New values of shared variables, in no order: every right-hand side sees the old values.
class update_list {
 public:
  array_list<update_entry> items;
  constexpr void add(term variable, term value) {
    items.push_back({static_cast<int>(variable.get().attr.a), value.id});
  }
};

/// `update(W, W - rate * g)`: the new value of one shared variable; it must have W's element type and extents.
template <class T, class E, class X>
constexpr update_list update(const shared_variable<T, E>& variable, const X& value) {
  static_assert(std::is_same_v<typename X::expression, expr<T, E>>,
                "kroton: an update must have the element type and the extents of its shared variable");
  update_list list;
  list.add(variable.untyped(), value.untyped());
  return list;
}

/// One replacement of `givens`.
struct given_entry {
  int from = 0, to = 0;  ///< nodes
};

/// `given(x, y)`: y in place of x; both have one element type and the same extents.
template <expression X, expression Y>
constexpr given_entry given(const X& from, const Y& to) {
  static_assert(std::is_same_v<typename X::expression, typename Y::expression>,
                "kroton: what is given in place of an expression must have its element type and extents");
  return {from.untyped().id, to.untyped().id};
}

/// Outputs (and updates) of a function; `Out...` are their expression types.
template <class... Out>
class results {
 public:
  constexpr explicit results(const Out&... out) : terms_{out.untyped()...} {}

  /// Adds updates: `update(W, ...)`s and lists of them, such as optimisers make.
  template <class... Updates>
  constexpr results& updates(const Updates&... lists) {
    (updates_.items.append(lists.items), ...);
    return *this;
  }
  /// Replaces expressions in all outputs and new values, at once: a replacement is not itself looked into.
  template <class... Given>
  constexpr results& givens(const Given&... list) {
    (givens_.push_back(list), ...);
    return *this;
  }
  static constexpr int count = sizeof...(Out);
  constexpr const term* terms() const { return terms_; }
  constexpr const array_list<given_entry>& all_givens() const { return givens_; }
  constexpr const update_list& all_updates() const { return updates_; }

 private:
  term terms_[sizeof...(Out) + 1] = {};
  update_list updates_;
  array_list<given_entry> givens_;
};

/// Several outputs: `return kt::outputs(cost, error);`, none: `kt::outputs()`.
template <expression... Out>
constexpr auto outputs(const Out&... out) {
  return results<typename Out::expression...>(static_cast<const typename Out::expression&>(out)...);
}
/// No outputs, only updates.
template <class... Updates>
constexpr auto updates(const Updates&... lists) {
  return results<>().updates(lists...);
}

/// Gradient of the scalar `cost` with respect to a variable (or any expression that `cost` was computed from).
template <expression C, expression X>
constexpr auto grad(const C& cost, const X& x, unsigned line = __builtin_LINE()) {
  static_assert(C::rank == 0, "kroton: grad needs a scalar cost; take its kt::mean or kt::sum first");
  static_assert(std::is_floating_point_v<typename C::element>, "kroton: grad needs a floating-point cost");
  static_assert(std::is_floating_point_v<typename X::element>, "kroton: there is no gradient with respect to integers or bool");
  array_list<term> wanted;
  wanted.push_back(x.untyped());
  const term g = gradients(cost.untyped(), wanted, line)[0];
  if (!g.valid()) {
    cost.untyped().owner->report(mistake::disconnected_gradient, line);
    return typename X::expression(x.untyped());
  }
  return typename X::expression(g);
}

/// Gradients with respect to all of `parameters`, in their order.
template <expression C>
constexpr array_list<term> grad(const C& cost, const parameter_list& parameters,
                                unsigned line = __builtin_LINE()) {
  static_assert(C::rank == 0, "kroton: grad needs a scalar cost; take its kt::mean or kt::sum first");
  static_assert(std::is_floating_point_v<typename C::element>, "kroton: grad needs a floating-point cost");
  array_list<term> list = gradients(cost.untyped(), parameters.items, line);
  for (int i = 0; i < list.size(); ++i)
    if (!list[i].valid()) {
      cost.untyped().owner->report(mistake::disconnected_gradient, line,
                                   static_cast<int>(parameters.items[i].get().attr.a));
      list[i] = parameters.items[i];
    }
  return list;
}

}  // namespace kroton
