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
    if (!used[e.from]) g.report({.what = mistake::given_not_found, .line = e.line});
  for (int& id : g.outputs) id = renamed[id];
  for (update_entry& u : g.updates) u.source = renamed[u.source];
}

/// Reports a requirement on numbers that does not hold.
constexpr void check_numbers(graph& g, const requirement& r) {
  using kind = requirement::kind;
  if (r.a < 0 || r.b < 0) return;
  const diagnosis found{.operation = r.operation, .a = r.a, .b = r.b};
  const auto report = [&](mistake what) {
    diagnosis d = found;
    d.what = what;
    g.report(d);
  };
  if (r.what == kind::equal && r.a != r.b)
    report(hash_text(r.operation) == hash_text("reshape") ? mistake::elements : mistake::extents);
  else if (r.what == kind::at_most && r.a > r.b)
    report(mistake::slice_bound);
  else if (r.what == kind::positive && r.a == 0)
    report(mistake::no_elements);
}

/// One output, if it is of this graph.
constexpr void add_output(graph& g, const term& x) {
  if (x.owner == &g) g.outputs.push_back(x.id);
  else g.report(x.owner == nullptr ? mistake::refused : mistake::other_model);
}

/// Notes what the function returned, and what is wrong with the whole.
template <class Result>
constexpr void finish(graph& g, const Result& result) {
  if constexpr (literal<Result>) {
    g.report(mistake::result);  // unless it is the value of an expression, which was refused
  } else if constexpr (result_traits<Result>::is_results) {
    for (int i = 0; i < Result::count; ++i) add_output(g, result.terms()[i]);
    array_list<bool> updated(g.shared.size(), false);
    for (const update_entry& u : result.all_updates().items) {
      if (updated[u.target]) g.report({.what = mistake::double_update, .shared = u.target});
      updated[u.target] = true;
      g.updates.push_back(u);
    }
    if (!result.all_givens().empty()) substitute(g, result.all_givens());
    if (result.refused) g.problem = {mistake::refused};
  } else {
    add_output(g, result.untyped());
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
      if (g.nodes[id].op->id == id_of<ops::input> && g.nodes[id].attr.a == s.a) used[id] = true;
  }
  for (int id = 0; id < g.size(); ++id)
    if (!used[id] && g.nodes[id].op->id == id_of<ops::input>)
      g.report({.what = mistake::unused_argument, .argument = static_cast<int>(g.nodes[id].attr.a)});
  for (const requirement& r : g.extents.requirements) check_numbers(g, r);
}

template <class P>
inline constexpr bool is_parameter = false;  // by value, or by reference to what does not change
template <class T, class E>
inline constexpr bool is_parameter<expr<T, E>> = true;
template <class T, class E>
inline constexpr bool is_parameter<const expr<T, E>&> = true;

template <class R>
inline constexpr bool is_result = expression<R>;
template <class T, class E>
inline constexpr bool is_result<expr<T, E>> = true;
template <class... Out>
inline constexpr bool is_result<results<Out...>> = true;

struct no_model {};

template <class Model>
constexpr bool make_model() {
  [[maybe_unused]] const Model made;
  return true;
}
/// Whether the compiler can make a model.
template <class Model>
concept constant_model = std::is_default_constructible_v<Model> && requires { typename std::bool_constant<make_model<Model>()>; };

/// What a function is made of; `Scope` is the class it is a member of.
template <class Scope, bool Changes, class Result, class... Parameters>
struct signature {
  using scope = Scope;
  using result = Result;
  using parameters = std::tuple<std::remove_cvref_t<Parameters>...>;
  static constexpr complaint problem = [] {
    if constexpr (!(is_parameter<Parameters> && ...)) return complaint::parameter;
    else if constexpr (!(is_element<typename std::remove_cvref_t<Parameters>::element> && ...)) return complaint::said;
    else if constexpr (std::is_same_v<Result, foreign_layer::nothing>) return complaint::said;
    else if constexpr (!is_result<Result> && !literal<Result>) return complaint::result;  // of numbers: see finish
    else return Changes ? complaint::changing_function : complaint::none;
  }();
};
template <class F>
struct signature_of {  // no function
  using scope = no_model;
  using result = void;
  using parameters = std::tuple<>;
  static constexpr complaint problem = complaint::function;
};
template <class R, class M, class... P>
struct signature_of<R (M::*)(P...) const> : signature<M, false, R, P...> {};
template <class R, class M, class... P>
struct signature_of<R (M::*)(P...) const noexcept> : signature<M, false, R, P...> {};
template <class R, class M, class... P>
struct signature_of<R (M::*)(P...)> : signature<M, true, R, P...> {};
template <class R, class M, class... P>
struct signature_of<R (M::*)(P...) noexcept> : signature<M, true, R, P...> {};
template <class R, class... P>
struct signature_of<R (*)(P...)> : signature<no_model, false, R, P...> {};

/// Whether the name of a type has the text `part`.
template <class T>
constexpr bool is_named_with(const char* part) {
  for (const char* at = __PRETTY_FUNCTION__; *at != '\0'; ++at) {
    int i = 0;
    while (part[i] != '\0' && at[i] == part[i]) ++i;
    if (part[i] == '\0') return true;
  }
  return false;
}

/// Whether a lambda has a parameter `auto`.
#if defined(__GNUC__) && !defined(__clang__)
template <class Lambda>
inline constexpr bool is_generic = is_named_with<Lambda>("auto:");
#else
// clang does not spell the parameters; but a call operator cannot be found by its type where another is a template
template <class Lambda>
struct called_otherwise : Lambda {
  using Lambda::operator();
  called_otherwise& operator()(called_otherwise&) const;
};
template <class C>
void find_other_call(C& (C::*)(C&) const);
template <class Lambda>
inline constexpr bool is_generic = !requires { find_other_call(&called_otherwise<Lambda>::operator()); };
#endif

/// Of a class without one call operator: it is generic, or a lambda with a mistake in its body, which has been said.
template <class Lambda>
struct signature_of_lambda {
  using result = void;
  using parameters = std::tuple<>;
  static constexpr bool is_lambda = is_named_with<Lambda>("<lambda") || is_named_with<Lambda>("(lambda");
  static constexpr complaint problem = [] {
    if constexpr (!std::is_class_v<Lambda> || expression<Lambda>) return complaint::capturing_lambda;
    else if constexpr (is_lambda && !is_generic<Lambda>) return complaint::said;
    else return complaint::generic_lambda;
  }();
};
template <class Lambda>
  requires requires { &Lambda::operator(); }
struct signature_of_lambda<Lambda> : signature_of<decltype(&Lambda::operator())> {
  static constexpr auto member = &Lambda::operator();
  static constexpr complaint problem = std::is_empty_v<Lambda> && std::is_default_constructible_v<Lambda>
                                           ? signature_of<decltype(&Lambda::operator())>::problem
                                           : complaint::capturing_lambda;
};

/// A member function of a model, to be captured.
template <auto Member>
struct member_function {  // no base: g++ would warn of models in anonymous namespaces
  using signature = signature_of<decltype(Member)>;
  using result = typename signature::result;
  using parameters = typename signature::parameters;
  using model_type = typename signature::scope;
  static constexpr complaint problem = [] {
    if (signature::problem != complaint::none) return signature::problem;
    if (!std::is_base_of_v<model, model_type>) return complaint::no_model;
    return constant_model<model_type> ? complaint::none : complaint::construction;
  }();
  static constexpr auto member = Member;
};
/// A model whose function is a lambda's.
template <class Lambda>
struct lambda_model : model, Lambda {};
/// A lambda without captures.
template <class Lambda>
struct lambda_function : signature_of_lambda<Lambda> {
  using model_type = lambda_model<Lambda>;
};

/// The evaluation of a function on variables, in a graph of its own: one call, because compilers print the way to what they
/// cannot evaluate. No lambda, because g++ would warn of models in anonymous namespaces.
template <class Function, class Parameters = typename Function::parameters,
          class Indices = std::make_index_sequence<std::tuple_size_v<Parameters>>>
struct evaluation;
template <class Function, class... P, std::size_t... I>
struct evaluation<Function, std::tuple<P...>, std::index_sequence<I...>> {
  static constexpr auto run(auto use) {
    typename Function::model_type scope;
    // braces, because the arguments of a call are evaluated in any order
    const std::tuple<P...> arguments{argument<P>(scope.captured(), static_cast<int>(I))...};
    finish(scope.captured(), (scope.*Function::member)(std::get<I>(arguments)...));
    return use(scope.captured());
  }
};
template <class Function>
constexpr auto with_capture(auto use) {
  return evaluation<Function>::run(use);
}

template <graph_size Size>
struct measured {
  static constexpr graph_size size = Size;
};
struct measure {
  constexpr graph_size operator()(const graph& g) const { return size_of(g); }
};
/// The size of a function's graph, as `measured<...>`; void if the compiler cannot evaluate the function, because its body has a
/// mistake, or calls what is not constexpr.
template <class Function>
auto try_capture(int) -> measured<with_capture<Function>(measure{})>;
template <class Function>
auto try_capture(...) -> void;
template <class Function>
struct trial {  // a class, so that it is done once
  using type = decltype(try_capture<Function>(0));
};
template <class Function>
using tried = typename trial<Function>::type;

/// Called with a function that the compiler cannot evaluate: says so, and makes the compiler say why.
template <class Function>
constexpr void cannot_evaluate() {
  constexpr bool evaluated = !std::is_void_v<tried<Function>>;
  static_assert(evaluated, "kroton: the function cannot be evaluated while compiling; something in it is wrong or not constexpr");
  constexpr graph_size size = evaluation<Function>::run(measure{});
  static_cast<void>(size);
}

/// What is wrong with a function, before it is captured.
template <class Function, complaint Problem = Function::problem>
inline constexpr complaint function_problem = Problem;
template <class Function>
  requires std::is_void_v<tried<Function>>
inline constexpr complaint function_problem<Function, complaint::none> = complaint::not_constant;

/// The captured graph of a function, before any pass: what the reference interpreter runs. Nothing, where there is a `Problem`,
/// which is said where the function is compiled.
template <class Function, complaint Problem = function_problem<Function>>
struct captured {
  static constexpr graph_size size{};
  static constexpr frozen_graph<size> value = [] {
    frozen_graph<size> nothing{};
    nothing.problem = {mistake::refused};
    return nothing;
  }();
};
template <class Function>
struct captured<Function, complaint::none> {
  static constexpr graph_size size = tried<Function>::size;
  static constexpr frozen_graph<size> value = with_capture<Function>([](const graph& g) { return freeze<size>(g); });
};

}  // namespace kroton
