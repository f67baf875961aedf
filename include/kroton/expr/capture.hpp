// This header captures functions: while the compiler evaluates a constant, it calls the user's function on variables
// and keeps the graph that arises.
//
//     [](kt::var<float, n> x) { return kt::exp(x); }  ->  %0 = input 0, %1 = exp(%0), output %1
#pragma once

// The headers with the sentences of errors come first: compilers print the path to them.
#include <kroton/expr/check.hpp>
#include <kroton/expr/expr.hpp>
#include <kroton/expr/changes.hpp>
#include <kroton/expr/functions.hpp>
#include <kroton/expr/signature.hpp>
#include <kroton/expr/used_arguments.hpp>
#include <kroton/graph/frozen.hpp>

namespace kroton::typed {

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

/// A parameter of the function being captured as a node. It has a name if it is a member of a struct.
template <class X>
constexpr X parameter(graph& g, int index, const char* name) {
  constexpr shape declared = shape_of_type<typename X::extents_type>;  // nvcc may not have it while it evaluates
  shape s = graph_shape_of(g, any_code, typename X::extents_type{});
  for (int i = 0; i < s.rank; ++i)
    if (declared[i] == any_code) s[i] = g.extents.intern({extent_kind::free, index, i});
  const int id = g.intern(s);
  variable v{name, dtype_of<typename X::element>, id, -1, {}};
  if constexpr (is_placed_variable<X>) {
    v.place = place_in<typename X::place>(g);
    v.is_placed = true;
  }
  g.inputs.push_back(v);
  return X(term{&g, g.add(op<ops::input>, dtype_of<typename X::element>, id, variable_form{index}, nullptr, 0)});
}

/// Puts the given expressions in the place of others throughout the outputs and updates. `used`: the nodes that these
/// are computed from.
constexpr void substitute(graph& g, const array_list<given_entry>& givens, const array_list<bool>& used) {
  const array_list<int> renamed = replaced(g, g.size(), givens);
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
  else if (r.what == kind::at_most && r.a > r.b) report(mistake::slice_bound);
  else if (r.what == kind::positive && r.a == 0) report(mistake::no_elements);
}

/// Notes that the last output stays where it was transferred to, unless that is the host.
constexpr void keep_at_place(graph& g) {
  const node& n = g.nodes[g.outputs.back()];
  if (n.op->kind != op_kind::transfer || n.place == at_host) return;
  g.output_places.resize(g.outputs.size(), anywhere);
  g.output_places.back() = n.place;
}
/// One output, if it is of this graph.
constexpr void add_output(graph& g, const term& x) {
  if (x.owner == &g) g.outputs.push_back(x.id);
  else if (x.owner != nullptr && x.owner->is_temporary) g.outputs.push_back(imported(g, x).id);
  else return g.report(x.owner == nullptr ? mistake::refused : mistake::other_model);
  keep_at_place(g);
}

/// A function that returns one expression has the default updates of all variables that it reads.
struct all_defaults {
  constexpr bool has_default(int) const { return true; }
};
/// Adds the default updates of the variables that the function reads. `wanted` says of each variable whether the
/// function has its default update.
template <class Wanted>
constexpr void add_default_updates(graph& g, const Wanted& wanted) {
  array_list<bool> updated(g.shared.size(), false);
  for (const update_entry& u : g.updates) updated[u.target] = true;
  for (bool found = !g.default_updates.empty(); found;) {  // the new value of a variable may read another
    found = false;
    const array_list<bool> used = used_nodes(g);
    array_list<bool> is_read(g.shared.size(), false);
    for (int id = 0; id < g.size(); ++id)
      if (used[id] && g.nodes[id].op->kind == op_kind::shared)
        is_read[variable_form::of(g.nodes[id].attr).position] = true;
    for (const update_entry& u : g.default_updates) {
      if (!is_read[u.target] || updated[u.target] || !wanted.has_default(u.target)) continue;
      updated[u.target] = found = true;
      g.updates.push_back(u);
    }
  }
}

/// Reports a named dimension that neither arguments nor shared variables have.
constexpr void check_dimensions(graph& g) {
  const auto has = [&](const array_list<variable>& variables, extent_code dimension) {
    for (const variable& v : variables)
      for (int axis = 0; axis < g.shapes[v.shape].rank; ++axis)
        if (g.shapes[v.shape][axis] == dimension) return true;
    return false;
  };
  for (int i = 0; i < g.extents.symbols.size(); ++i) {
    const extent_symbol& s = g.extents.symbols[i];
    if (s.kind == extent_kind::named && !has(g.inputs, -1 - i) && !has(g.shared, -1 - i))
      g.report({.what = mistake::open_dimension, .dimension = s.name});
  }
}

/// Reports values of the body of a loop outside of it.
constexpr void check_loops(graph& g) {
  if (g.loops.empty()) return;
  const array_list<bool> used = used_nodes(g);
  for (int id = 0; id < g.size(); ++id) {
    const loop_set loops = g.nodes[id].loops;
    if (used[id] && loops != 0 && loops != g.with_outer(innermost(loops))) g.report(mistake::loop_value);
  }
  for (int id : g.outputs)
    if (g.nodes[id].loops != 0) g.report(mistake::loop_value);
  for (const update_entry& u : g.updates)
    if (g.nodes[u.source].loops != 0) g.report(mistake::loop_value);
}

/// Notes what the function returned, and what is wrong with the whole.
template <class Result>
constexpr void finish(graph& g, const Result& result) {
  if (g.is_sketch) return;
  array_list<bool> used_before_givens;
  if constexpr (literal<Result>) {
    g.report(mistake::result);  // unless it is the value of an expression, which was refused
  } else if constexpr (result_traits<Result>::is_results) {
    for (int i = 0; i < Result::count; ++i) add_output(g, result.terms()[i]);
    array_list<bool> updated(g.shared.size(), false);
    for (const update_entry& u : result.all_updates().items) {
      if (updated[u.target]) g.report({.what = mistake::double_update, .shared = u.target});
      updated[u.target] = true;
      const variable& of = g.shared[u.target];
      if (!(g.shape_of(u.source) == g.shapes[of.shape]) || g.nodes[u.source].type != of.type)
        g.report({.what = mistake::update_extents, .shared = u.target});
      g.updates.push_back(u);
    }
    if (!result.all_givens().empty()) {
      used_before_givens = used_nodes(g);
      substitute(g, result.all_givens(), used_before_givens);
    }
    add_default_updates(g, result);
    if (result.refused) g.problem = {mistake::refused};
  } else {
    add_output(g, result.untyped());
    add_default_updates(g, all_defaults());
  }
  check_loops(g);
  check_arguments(g, used_before_givens);
  check_dimensions(g);
  for (const requirement& r : g.extents.requirements) check_numbers(g, r);
}

/// The function `Function` whose outputs stay at these places, for a caller who receives them there; null: an output
/// goes where it goes in the function.
template <class Function, const place_name*... Places>
struct received_at : Function {
  static constexpr void outputs_stay(graph& g) {
    g.output_places.resize(g.outputs.size(), anywhere);
    int i = 0;
    (stay<Places>(g, i++), ...);
  }

 private:
  template <const place_name* Place>
  static constexpr void stay(graph& g, int i) {
    if constexpr (is_same_place<Place, &place_of<struct home>>) g.output_places[i] = at_home;
    else if constexpr (!is_same_place<Place, nullptr>) g.output_places[i] = g.place_named(*Place);
  }
};

/// The evaluation of a function on variables, in a graph of its own: one call, because compilers print the way to what
/// they cannot evaluate. No lambda, because g++ would warn of models in anonymous namespaces.
template <class Function, class Parameters = typename Function::variables::types,
          class Indices = std::make_index_sequence<std::tuple_size_v<Parameters>>>
struct evaluation;
template <class Function, class... P, std::size_t... I>
struct evaluation<Function, std::tuple<P...>, std::index_sequence<I...>> {
  static constexpr auto run(auto use, bool is_sketch = false) {
    typename Function::model_type scope;
    scope.captured().is_sketch = is_sketch;
    // braces, because the arguments of a call are evaluated in any order
    const std::tuple<P...> arguments{
        parameter<P>(scope.captured(), static_cast<int>(I), Function::variables::name(I))...};
    if constexpr (Function::variables::are_named)
      finish(scope.captured(),
             (scope.*Function::member)(typename Function::variables::template with<var>{std::get<I>(arguments)...}));
    else finish(scope.captured(), (scope.*Function::member)(std::get<I>(arguments)...));
    if constexpr (requires { Function::outputs_stay(scope.captured()); }) Function::outputs_stay(scope.captured());
    return use(scope.captured());
  }
};
template <class Function>
constexpr auto with_capture(auto use) {
  return evaluation<Function>::run(use);
}

/// Room for a captured graph of so many nodes.
constexpr graph_size room_for(int nodes) {
  const int few = 64 + nodes / 8;
  return {nodes, 2 * nodes, few, few, few, 0, most_loops, 64, few, few, 64, 64, 64, few, few};
}
/// A larger graph is captured twice. Room that a graph does not use costs g++ nothing, clang a little, and nvcc's front
/// ends 14 KB for each node. __CUDACC__ tells nvcc: g++ preprocesses for it, so __EDG__ is not defined.
#if defined(__CUDACC__)
inline constexpr graph_size capture_room = room_for(2048);
#elif defined(__clang__)
inline constexpr graph_size capture_room = room_for(4096);
#else
inline constexpr graph_size capture_room = room_for(32768);
#endif
template <class Function>
struct capture_pass {
  static constexpr graph_size guess = capture_room;
  static constexpr auto run(auto use) { return with_capture<Function>(use); }
};
/// Whether the compiler can evaluate a function.
template <class Function>
concept evaluated = frozen_pass<capture_pass<Function>>::is_evaluated;

struct measure {
  constexpr graph_size operator()(const graph& g) const { return size_of(g); }
};
/// A function without its gradients, which need most of the time: where the compiler can evaluate that, but not the
/// function, there is a limit.
template <class Function>
struct sketch {
  static constexpr graph_size run() { return evaluation<Function>::run(measure{}, true); }
};
/// Called with a function that the compiler cannot evaluate: says so, and makes the compiler say why.
template <class Function>
constexpr void cannot_evaluate() {
  constexpr bool is_sketched =
      evaluable<sketch<Function>>;  // a constant, because compilers say why a concept does not hold
  static_assert(!is_sketched, KROTON_LIMIT_REACHED);
  static_assert(is_sketched,
                "kroton: the function cannot be evaluated while compiling: something in it is not constexpr, as "
                "std::sqrt is not with clang and nvcc (kt::constexpr_sqrt is), or is made by kt::zeros or a similar "
                "function and not used, or it is too large for the compiler's limit, which " KROTON_RAISED_LIMITS
                " raises");
  if constexpr (!is_sketched) {
    constexpr graph_size size = evaluation<Function>::run(measure{}, true);
    static_cast<void>(size);
  }
}

/// The mistake in a function that is found before it is captured.
template <class Function, complaint Problem = Function::problem>
inline constexpr complaint function_problem = Problem;
template <class Function>
  requires(!evaluated<Function>)
inline constexpr complaint function_problem<Function, complaint::none> =
    uses_refused_expression<Function> ? complaint::said : complaint::not_constant;

/// The captured graph of a function, before any pass: what the reference interpreter runs. Nothing, where there is a
/// `Problem`, which is said where the function is compiled.
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
struct captured<Function, complaint::none> : frozen_pass<capture_pass<Function>> {};

}  // namespace kroton::typed
