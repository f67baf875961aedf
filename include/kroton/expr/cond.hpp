// This header has branches of which one runs: kt::cond.
//
//     kt::cond(n > 10, [&] { return costly(x); }, [&] { return x; })
#pragma once

#include <kroton/expr/functions.hpp>
#include <kroton/expr/loop_items.hpp>
#include <kroton/graph/guarded.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct cond;
}  // namespace functions

template <class F>
concept is_branch = requires(const F& f) {
  f();
};
template <is_branch F>
using branch_values = body_values<std::remove_cvref_t<decltype(std::declval<const F&>()())>>;
template <class Taken, class Other>
inline constexpr bool are_same_values = false;
template <expression... A, expression... B>
  requires(sizeof...(A) == sizeof...(B))
inline constexpr bool are_same_values<std::tuple<A...>, std::tuple<B...>> =
    (std::is_same_v<typename A::expression, typename B::expression> && ...);
template <class C, class F, class G>
constexpr complaint cond_problem() {
  if constexpr (!is_scalar_of_bool<C> || !is_branch<F> || !is_branch<G>) return complaint::branches;
  else
    return are_same_values<typename branch_values<F>::type, typename branch_values<G>::type> ? complaint::none
                                                                                             : complaint::branches;
}

/// The values of a branch, computed where the condition is `Wanted`. They are computed in any case where the condition
/// has no expression of the function, but extents alone: it does not know the graph in which the branch is recorded.
template <bool Wanted, class C, class F>
constexpr kroton::graph::array_list<term> branch_of(const C& condition, const F& f) {
  const graph& begun = *typed_layer::graph_of(condition);
  const int first = begun.size();
  const auto made = branch_values<F>::of(f());
  graph& g = *std::apply([&](const auto&... each) { return typed_layer::graph_of(condition, each...); }, made);
  kroton::graph::array_list<term> values;
  std::apply([&](const auto&... each) { (values.push_back(typed_layer::term_in(g, each)), ...); }, made);
  if (&g != &begun) return values;
  const term holds = typed_layer::term_in(g, condition);
  return kroton::graph::guarded(values, first, Wanted ? holds : !holds);
}
}  // namespace typed

/// What `f` returns where the scalar `condition` holds, else what `g` returns: `kt::cond(n > 10, [&] { return a; }, [&]
/// { return b; })`, or tuples of expressions, of the same types. On the host, the branch that is not taken does not
/// run, nor does its gradient; elsewhere both run. What both use, and what uses neither, is computed outside.
template <class C, class F, class G>
constexpr auto cond(const C& condition, const F& f, const G& g) {
  constexpr typed::complaint problem = typed::cond_problem<C, F, G>();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse_with<problem, typed::functions::cond>(condition);
  } else {
    using values = typename typed::branch_values<F>::type;
    const graph::array_list<term> taken = typed::branch_of<true>(condition, f),
                                  other = typed::branch_of<false>(condition, g);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto one = [&]<class V>(int i, V*) {
        using value = typename V::expression;
        return value(where(condition, value(taken[i]), value(other[i])).untyped());
      };
      if constexpr (sizeof...(I) == 1) return one(0, static_cast<std::tuple_element_t<0, values>*>(nullptr));
      else return std::tuple{one(static_cast<int>(I), static_cast<std::tuple_element_t<I, values>*>(nullptr))...};
    }
    (std::make_index_sequence<std::tuple_size_v<values>>());
  }
}

}  // namespace kroton
