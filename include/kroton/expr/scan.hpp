// This header has loops: kt::scan, whose body is recorded once and runs for each row of its sequences.
//
//     auto h = kt::scan([&](auto x, auto h) { return kt::tanh(kt::dot(x, W) + kt::dot(h, U)); },
//                       kt::sequences(x), kt::carried(h0));
//     h.all   // (n, batch, 64): h of each iteration
//     h.last  // (batch, 64): h after the last one
#pragma once

#include <kroton/expr/loop_items.hpp>
#include <kroton/graph/guarded.hpp>

namespace kroton {

namespace typed {
/// Records a loop: its body once, and what the iterations make of it.
template <class Sequences, class Carried, class Steps>
class scan_recording;
template <class... S, class... C, class Steps>
class scan_recording<sequence_list<S...>, carried_list<C...>, Steps> {
 public:
  constexpr scan_recording(const sequence_list<S...>& sequences, const carried_list<C...>& carried, const Steps& steps,
                           const scan_options& options, graph& g)
      : sequences_(sequences), carried_(carried), steps_(steps), options_(options), graph_(g) {}

  /// What the body gets.
  constexpr auto arguments() {
    if (options_.truncate_gradient < 0)
      graph_.report({.what = mistake::negative_option, .option = "truncate_gradient"});
    iterations_ = iterations();
    loop_ = graph_.new_loop(options_.truncate_gradient, iterations_);
    return std::tuple_cat(rows_of_sequences(std::index_sequence_for<S...>()),
                          values_of_carried(std::index_sequence_for<C...>()));
  }
  /// What `body` returns of them.
  template <class Body, class Arguments>
  constexpr auto call(const Body& body, const Arguments& arguments) {
    const int outer = graph_.open_loop;
    graph_.open_loop = loop_;
    first_ = graph_.size();
    const auto returned = std::apply(body, arguments);
    graph_.open_loop = outer;
    return returned;
  }
  /// What the iterations make of the values that the body returned, and how many of them ran if it ends the loop.
  template <class Returned>
  constexpr auto results(const Returned& returned) {
    using values = scan_values<Returned>;
    const int outer = graph_.open_loop;
    graph_.open_loop = loop_;
    array_list<term> made;
    std::apply([&](const auto&... each) { (made.push_back(typed_layer::term_in(graph_, each)), ...); },
               values::of(returned));
    for (int i = 0; i < newest_.size(); ++i) with_extents(made[i], newest_[i]);
    carried_variables variables(graph_, loop_, iterations_);
    if constexpr (values::can_end) {
      const array_list<term> counted = end_after(typed_layer::term_in(graph_, values::end_of(returned)), made);
      for (int i = 0; i < newest_.size(); ++i) variables.add(newest_[i], made[i]);
      for (int i = 0; i < counted.size(); i += 2) variables.add(counted[i], counted[i + 1]);
    } else {
      for (int i = 0; i < newest_.size(); ++i) variables.add(newest_[i], made[i]);
    }
    graph_.open_loop = outer;
    const auto every = [&]<class... R, std::size_t... I>(const std::tuple<R...>&, std::index_sequence<I...>) {
      const std::tuple found{result<I, typename R::expression>(variables, made[I])...};
      if constexpr (!values::can_end) return found;
      else return std::tuple_cat(found, std::tuple{expr<std::int64_t, extents<>>(variables.last(sizeof...(C) + 1))});
    }(values::of(returned), std::make_index_sequence<std::tuple_size_v<typename values::type>>());
    if constexpr (std::tuple_size_v<decltype(every)> == 1) return std::get<0>(every);
    else return every;
  }

 private:
  const sequence_list<S...>& sequences_;
  const carried_list<C...>& carried_;
  const Steps& steps_;
  scan_options options_;
  graph& graph_;
  int loop_ = 0, first_ = 0;  // the loop, and where the nodes of its body begin
  extent_code iterations_ = 0;
  array_list<term> newest_;  // of each carried variable: its value in the iteration before

  /// The number of iterations: of the shortest sequence, unless it was given.
  constexpr extent_code iterations() const {
    graph& g = graph_;
    extent_code most = -1;
    bool is_known = false;
    const auto note = [&]<class X>(const X& each) {
      using rule = sequence_rule<X>;
      const extent_code all = typed_layer::term_in(g, each.x).extents()[0];
      g.extents.require({requirement::kind::at_most, rule::most - rule::least, all, "scan"});
      const extent_code rows = g.extents.subtract(all, rule::most - rule::least);
      most = is_known ? g.extents.minimum(most, rows) : rows;
      is_known = true;
    };
    std::apply([&](const auto&... x) { (note(x), ...); }, sequences_.items);
    const extent_code steps = given(g, steps_, most);
    if (is_known && steps != most) g.extents.require({requirement::kind::at_most, steps, most, "scan"});
    return steps;
  }
  static constexpr extent_code given(graph&, const no_steps&, extent_code most) { return most; }
  template <class Extent>
  static constexpr extent_code given(graph& g, const fixed_steps<Extent>&, extent_code) {
    return graph_extent<Extent>(g, 1);
  }
  template <class N>
  constexpr extent_code given(graph& g, const given_steps<N>& steps, extent_code) const {
    return extent_of_argument(g, typed_layer::term_in(g, steps.count), 0);
  }

  template <std::size_t... I>
  constexpr auto rows_of_sequences(std::index_sequence<I...>) {
    return std::tuple_cat(rows_of_sequence(std::get<I>(sequences_.items))...);
  }
  template <class X>
  constexpr auto rows_of_sequence(const X& sequence) {
    using rule = sequence_rule<X>;
    const term all = typed_layer::term_in(graph_, sequence.x);
    const auto row = [&](std::size_t i) {
      extent_table& extents = graph_.extents;
      const extent_code first = rule::taps[i] - rule::least,
                        last = extents.add(extents.subtract(iterations_, 1), first);
      return loop_row_term(all, {loop_, options_.go_backwards, options_.go_backwards ? last : first});
    };
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<std::conditional_t<(I >= 0), typename rule::row, void>...>{typename rule::row(row(I))...};
    }
    (std::make_index_sequence<rule::count>());
  }
  template <std::size_t... I>
  constexpr auto values_of_carried(std::index_sequence<I...>) {
    return std::tuple_cat(values_of<static_cast<int>(I)>(std::get<I>(carried_.items))...);
  }
  template <int Number, class X>
  constexpr auto values_of(const X& carried) {
    using rule = carried_rule<X>;
    term initial = typed_layer::term_in(graph_, carried.x);
    if constexpr (!rule::has_taps) initial = reshape_term(initial, with_ones(initial.extents(), 1));
    const auto value = [&](int back) { return loop_carried_term(initial, {loop_, Number, back, rule::kept}); };
    newest_.push_back(value(1));
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<std::conditional_t<(I >= 0), typename rule::value, void>...>{
          typename rule::value(value(-rule::taps[I]))...};
    }
    (std::make_index_sequence<rule::count>());
  }

  /// Requires the extents of a variable of its new value.
  static constexpr void with_extents(term next, term carried) {
    extent_table& extents = next.owner->extents;
    for (int axis = 0; axis < next.rank(); ++axis) extents.unify(carried.extents()[axis], next.extents()[axis], "scan");
  }

  /// Makes the body a branch that is taken until `condition` has held: carried variables then stay what they are, and
  /// other values are zeros. Returns two further carried variables, each with its new value: whether the loop still
  /// runs, and how many iterations did.
  constexpr array_list<term> end_after(term condition, array_list<term>& made) {
    constexpr int number = sizeof...(C);
    const auto carry = [&](term initial, int i) {
      return loop_carried_term(reshape_term(initial, {1, {1}}), {loop_, number + i, 1, 1});
    };
    const term runs = carry(constant(graph_, dtype::boolean, 1), 0),
               count = carry(constant(graph_, dtype::int64, 0), 1);
    made.push_back(condition);
    const array_list<term> taken = kroton::graph::guarded(made, first_, runs);
    const int values = made.size() - 1;
    for (int i = 0; i < values; ++i)
      made[i] = i < number ? where(runs, taken[i], newest_[i]) : where(runs, taken[i], 0);
    array_list<term> counted;
    for (const term each : {runs, runs && !taken[values], count, count + cast(runs, dtype::int64)})
      counted.push_back(each);
    return counted;
  }

  template <class R>
  using all_of =
      expr<typename R::element,
           typename extents_of_shape<rows_of(iterations_code<Steps, S...>, shape_of_type<typename R::extents_type>),
                                     typename joined<typename R::extents_type, typename steps_extents<Steps>::type,
                                                     typename sequence_rule<S>::operand::extents_type...>::type>::type>;
  template <std::size_t I, class R>
  constexpr auto result(const carried_variables& variables, term value) const {
    if constexpr (I < sizeof...(C))
      return loop_value<all_of<R>, R>{all_of<R>(variables.rows(value)), R(variables.last(static_cast<int>(I)))};
    else return loop_output<all_of<R>>{all_of<R>(variables.rows(value))};
  }
};

/// The graph of what a loop is given.
template <class... S, class... C, class Steps>
constexpr graph* graph_of_items(const sequence_list<S...>& sequences, const carried_list<C...>& carried,
                                const Steps& steps) {
  const auto count = [&] {
    if constexpr (requires { steps.count; })
      return std::tuple{tapped<std::remove_cvref_t<decltype(steps.count)>>{steps.count}};
    else return std::tuple<>();
  }();
  return std::apply([](const auto&... x) { return typed_layer::graph_of(x.x...); },
                    std::tuple_cat(sequences.items, carried.items, count));
}
/// The results of a loop whose body was refused.
template <class Returned>
struct refused_values {
  static constexpr loop_value<refused_expression, refused_expression> make() { return {}; }
};
template <class C>
struct refused_values<ending<C>> {
  static constexpr refused_expression make() { return {}; }
};
template <class First, class Second, class... R>
struct refused_values<std::tuple<First, Second, R...>> {
  static constexpr auto make() {
    return std::tuple{refused_values<First>::make(), refused_values<Second>::make(), refused_values<R>::make()...};
  }
};
/// The graph that a body meets, which is recorded to see it.
template <class Recording, class Body>
constexpr graph& graph_met(Recording recording, graph& own, const Body& body) {
  const auto returned = recording.call(body, recording.arguments());
  using values = scan_values<std::remove_cvref_t<decltype(returned)>>;
  if constexpr (values::are_expressions)
    return *std::apply([](const auto&... x) { return typed_layer::graph_of(x...); }, values::of(returned));
  else return own;
}

}  // namespace typed

/// Runs `body` for each row of the sequences. The body is a function of expressions that gets a row of each sequence,
/// and the value of each carried variable before the iteration; it returns the new value of each carried variable, and
/// perhaps further values, as a `std::tuple` if they are several. It may use any other expression of the function.
///
///     auto [h, y] = kt::scan([&](auto x, auto h) { auto next = kt::tanh(x + kt::dot(h, U));
///                                                  return std::tuple{next, kt::dot(next, V)}; },
///                            kt::sequences(x), kt::carried(h0));
///
/// `h.all` is a value of all iterations, (iterations, ...), `h.last` that after the last one; what is not carried has
/// only `all`. The shortest sequence decides the number of iterations, unless `kt::steps` does. The body is recorded
/// once, however many iterations there are, and what does not depend on them is computed once.
///
/// A body that returns `kt::until(condition)` last ends the loop after the iteration in which it holds; that iteration
/// counts. The last result is the number of iterations then. `all` has rows for as many as there may be, and zeros in
/// those that did not run; carried values keep the last one there.
///
///     auto [root, count] = kt::scan([&](auto x) { auto next = (x + a / x) / 2;
///                                                 return std::tuple{next, kt::until(kt::abs(next - x) < 1e-9)}; },
///                                   kt::carried(a), kt::steps<50>());
template <class Body, class... Items>
constexpr auto scan(const Body& body, const Items&... items) {
  using namespace typed;
  const auto& sequences = first_of<is_sequences<Items>..., true>(items..., sequence_list<>());
  const auto& carried = first_of<is_carried<Items>..., true>(items..., carried_list<>());
  const auto& steps = first_of<is_steps<Items>..., true>(items..., no_steps());
  using sequences_type = std::remove_cvref_t<decltype(sequences)>;
  using carried_type = std::remove_cvref_t<decltype(carried)>;
  using steps_type = std::remove_cvref_t<decltype(steps)>;
  constexpr complaint problems[] = {items_problem<Items...>(), list_problem<sequences_type>,
                                    list_problem<carried_type>};
  constexpr complaint problem = problems[0] != complaint::none   ? problems[0]
                                : problems[1] != complaint::none ? problems[1]
                                                                 : problems[2];
  if constexpr (problem != complaint::none) {
    reject<problem, functions::scan, Items...>();
    return loop_value<refused_expression, refused_expression>();
  } else {
    const scan_options options = first_of<is_options<Items>..., true>(items..., scan_options());
    using recording_type = scan_recording<sequences_type, carried_type, steps_type>;
    auto* g = graph_of_items(sequences, carried, steps);
    // numbers alone do not know the graph that the body meets, in which the loop is to be, and so it is called twice
    if (g->is_temporary) g = &graph_met(recording_type(sequences, carried, steps, options, *g), *g, body);
    recording_type recording(sequences, carried, steps, options, *g);
    const auto arguments = recording.arguments();
    const auto returned = recording.call(body, arguments);
    using returned_type = std::remove_cvref_t<decltype(returned)>;
    constexpr complaint of_body = body_problem<carried_type, returned_type>;
    if constexpr (of_body != complaint::none) {
      reject<of_body, functions::scan, carried_type, returned_type>();
      return refused_values<returned_type>::make();
    } else {
      return recording.results(returned);
    }
  }
}

}  // namespace kroton
