// Capture: calls the user's function on variables while the compiler evaluates constants, and keeps the graph.
#pragma once

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
  static_assert(expression<X>, "kroton: the parameters of a compiled function are kt::var<...>, taken by value");
  shape s = graph_shape_of(g, any_code, typename X::extents_type{});
  for (int i = 0; i < s.rank; ++i)
    if (shape_of_type<typename X::extents_type>[i] == any_code) s[i] = g.extents.intern({extent_kind::free, index, i});
  const int id = g.intern(s);
  g.inputs.push_back({nullptr, dtype_of<typename X::element>, id, -1, {}});
  return X(term{&g, g.add(op<ops::input>, dtype_of<typename X::element>, id, {index, 0, 0}, nullptr, 0)});
}

/// Notes what the function returned, and what is wrong with the whole.
template <class Result>
constexpr void finish(graph& g, const Result& result) {
  if constexpr (result_traits<Result>::is_results) {
    for (int i = 0; i < Result::count; ++i) g.outputs.push_back(result.terms()[i].id);
    for (const update_entry& u : result.all_updates().items) {
      for (const update_entry& v : g.updates)
        if (v.target == u.target) g.report(mistake::double_update, 0, u.target);
      g.updates.push_back(u);
    }
  } else {
    g.outputs.push_back(result.untyped().id);
  }
  array_list<bool> used(g.size(), false);
  for (int id : g.outputs) used[id] = true;
  for (const update_entry& u : g.updates) used[u.source] = true;
  for (int id = g.size() - 1; id >= 0; --id)
    if (used[id])
      for (int i = 0; i < g.nodes[id].count; ++i) used[g.operand(id, i)] = true;
  for (const extent_symbol& s : g.extents.symbols)
    for (int id = 0; id < g.size(); ++id)  // an argument that is only a slice bound is used
      if (s.kind == extent_kind::scalar && g.nodes[id].op == op<ops::input> && g.nodes[id].attr.a == s.a) used[id] = true;
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
struct member_function : signature_of<decltype(Member)> {
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

/// The captured graph of a function, before any pass: what the reference interpreter runs.
template <class Function>
struct captured {
  static constexpr graph_size size = with_capture<Function>([](const graph& g) { return size_of(g); });
  static constexpr frozen_graph<size> value = with_capture<Function>([](const graph& g) { return freeze<size>(g); });
};

}  // namespace kroton
