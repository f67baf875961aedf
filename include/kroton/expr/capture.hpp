// Capture: calls the user's function on variables while the compiler evaluates constants, and keeps the graph.
#pragma once

#include <kroton/expr/check.hpp>  // the headers with the sentences of errors come first: compilers print the path to them
#include <kroton/expr/expr.hpp>
#include <kroton/expr/functions.hpp>
#include <kroton/graph/frozen.hpp>

namespace kroton {

template <class Result>
struct result_traits {  // one expression
  static constexpr bool is_results = false;
  using outputs = std::tuple<typename Result::expression>;
};
template <class... Out>
struct result_traits<results<Out...>> {
  static constexpr bool is_results = true;
  using outputs = std::tuple<Out...>;
};

/// A parameter of the function being captured as a node.
template <class X>
constexpr X argument(graph& g, int index) {
  shape s = graph_shape_of(g, any_code, typename X::extents_type{});
  for (int i = 0; i < s.rank; ++i)
    if (shape_of_type<typename X::extents_type>[i] == any_code) s[i] = g.extents.intern({extent_kind::free, index, i});
  const int id = g.intern(s);
  g.inputs.push_back({nullptr, dtype_of<typename X::element>, id, -1, {}});
  return X(term{&g, g.add(op<ops::input>, dtype_of<typename X::element>, id, {index, 0, 0}, nullptr, 0)});
}

/// Puts the given expressions in the place of others throughout the outputs and updates.
constexpr void substitute(graph& g, const array_list<given_entry>& givens) {
  const int count = g.size();
  array_list<int> renamed(count, -1);
  array_list<bool> used(count, false);
  for (int id : g.outputs) used[id] = true;
  for (const update_entry& u : g.updates) used[u.source] = true;
  for (int id = count - 1; id >= 0; --id)
    if (used[id])
      for (int i = 0; i < g.nodes[id].count; ++i) used[g.operand(id, i)] = true;
  array_list<int> args;
  for (int id = 0; id < count; ++id) {
    const node n = g.nodes[id];
    args.clear();
    for (int i = 0; i < n.count; ++i) args.push_back(renamed[g.operand(id, i)]);
    renamed[id] = g.add(n.op, n.type, n.shape, n.attr, args.begin(), n.count);
    for (const given_entry& e : givens)
      if (e.from == id) renamed[id] = e.to;
  }
  for (const given_entry& e : givens)
    if (!used[e.from]) g.report(mistake::given_not_found);
  for (int& id : g.outputs) id = renamed[id];
  for (update_entry& u : g.updates) u.source = renamed[u.source];
}

/// Notes what the function returned, and what is wrong with the whole.
template <class Result>
constexpr void finish(graph& g, const Result& result) {
  if constexpr (result_traits<Result>::is_results) {
    for (int i = 0; i < Result::count; ++i) g.outputs.push_back(result.terms()[i].id);
    array_list<bool> updated(g.shared.size(), false);
    for (const update_entry& u : result.all_updates().items) {
      if (updated[u.target]) g.report(mistake::double_update, 0, u.target);
      updated[u.target] = true;
      g.updates.push_back(u);
    }
    if (!result.all_givens().empty()) substitute(g, result.all_givens());
  } else {
    g.outputs.push_back(result.untyped().id);
  }
  array_list<bool> used(g.size(), false);
  for (int id : g.outputs) used[id] = true;
  for (const update_entry& u : g.updates) used[u.source] = true;
  for (int id = g.size() - 1; id >= 0; --id)
    if (used[id])
      for (int i = 0; i < g.nodes[id].count; ++i) used[g.operand(id, i)] = true;
  for (const extent_symbol& s : g.extents.symbols) {  // an argument that is only a slice bound is used
    if (s.kind != extent_kind::scalar) continue;
    for (int id = 0; id < g.size(); ++id)
      if (g.nodes[id].op == op<ops::input> && g.nodes[id].attr.a == s.a) used[id] = true;
  }
  for (int id = 0; id < g.size(); ++id)
    if (!used[id] && g.nodes[id].op == op<ops::input>)
      g.report(mistake::unused_input, 0, static_cast<int>(g.nodes[id].attr.a));
  for (const requirement& r : g.extents.requirements)
    if (r.a >= 0 && r.b >= 0 && (r.what == requirement::kind::equal ? r.a != r.b : r.a > r.b))
      g.report(mistake::slice_bound);
}

template <class Function, class Result, class... Parameters>
struct signature {
  using result = Result;
  using parameters = std::tuple<Parameters...>;
};
template <class F>
struct signature_of;
template <class R, class M, class... P>
struct signature_of<R (M::*)(P...) const> : signature<M, R, std::remove_cvref_t<P>...> {
  using scope = M;
};
template <class R, class... P>
struct signature_of<R (*)(P...)> : signature<void, R, std::remove_cvref_t<P>...> {};

/// A member function of a model, to be captured.
template <auto Member>
struct member_function {  // no base: g++ would warn of models in anonymous namespaces
  using result = typename signature_of<decltype(Member)>::result;
  using parameters = typename signature_of<decltype(Member)>::parameters;
  using model_type = typename signature_of<decltype(Member)>::scope;
  static constexpr auto call(const model_type& m, const auto&... x) { return (m.*Member)(x...); }
};
/// A lambda without captures.
template <class Lambda>
struct lambda_function : signature_of<decltype(&Lambda::operator())> {
  using model_type = model;
  static constexpr auto call(const model&, const auto&... x) { return Lambda{}(x...); }
};

template <class Function, class Use>
constexpr auto with_capture(Use use) {
  typename Function::model_type scope;
  [&]<class... P, std::size_t... I>(std::tuple<P...>*, std::index_sequence<I...>) {
    // braces, because the arguments of a call are evaluated in any order
    const std::tuple<P...> arguments{argument<P>(scope.captured(), static_cast<int>(I))...};
    finish(scope.captured(), Function::call(scope, std::get<I>(arguments)...));
  }(static_cast<typename Function::parameters*>(nullptr),
    std::make_index_sequence<std::tuple_size_v<typename Function::parameters>>{});
  return use(scope.captured());
}

template <class Parameters>
inline constexpr bool are_expressions = false;
template <class... P>
inline constexpr bool are_expressions<std::tuple<P...>> = (expression<P> && ...);

/// The captured graph of a function, before any pass: what the reference interpreter runs.
template <class Function, bool = are_expressions<typename Function::parameters>>
struct captured {
  static_assert(never<Function>, "kroton: the parameters of a compiled function are kt::var<...>, taken by value");
  static constexpr graph_size size{};
  static constexpr frozen_graph<size> value{};
};
template <class Function>
struct capture_pass {
  static constexpr graph_size guess{256, 512, 48, 32, 32, 16, 32, 16, 8, 32};
  static constexpr auto run(auto use) { return with_capture<Function>(use); }
};
template <class Function>
struct captured<Function, true> : frozen_pass<capture_pass<Function>> {};

}  // namespace kroton
