// This header has loops: kt::scan, whose body is recorded once and runs for each row of its sequences.
//
//     auto h = kt::scan([&](auto x, auto h) { return kt::tanh(kt::dot(x, W) + kt::dot(h, U)); },
//                       kt::sequences(x), kt::carried(h0));
//     h.all   // (n, batch, 64): h of each iteration
//     h.last  // (batch, 64): h after the last one
#pragma once

#include <kroton/expr/loop_items.hpp>

namespace kroton {

namespace typed {
/// Records a loop: its body once, and what the iterations make of it.
template <class Sequences, class Carried, class Steps>
class scan_recording;
template <class... S, class... C, class Steps>
class scan_recording<sequence_list<S...>, carried_list<C...>, Steps> {
 public:
  constexpr scan_recording(const sequence_list<S...>& sequences, const carried_list<C...>& carried, const Steps& steps,
                           const scan_options& options)
      : sequences_(sequences), carried_(carried), steps_(steps), options_(options),
        graph_(std::apply([](const auto&... x) { return typed_layer::graph_of(x.x...); },
                          std::tuple_cat(sequences.items, carried.items, count_of(steps)))) {}

  /// What the body gets.
  constexpr auto arguments() {
    if (options_.truncate_gradient < 0)
      graph_->report({.what = mistake::negative_option, .option = "truncate_gradient"});
    loop_ = graph_->new_loop(options_.truncate_gradient);
    const extent_code iterations = iterations_in(*graph_);
    return std::tuple_cat(rows_of_sequences(std::index_sequence_for<S...>(), iterations),
                          values_of_carried(std::index_sequence_for<C...>()));
  }
  template <class Body, class Arguments>
  constexpr auto call(const Body& body, const Arguments& arguments) {
    const int outer = graph_->open_loop;
    graph_->open_loop = loop_;
    const auto returned = std::apply(body, arguments);
    graph_->open_loop = outer;
    return returned;
  }
  /// What the iterations make of the values that the body returned.
  template <class... R>
  constexpr auto results(const std::tuple<R...>& made) {
    graph& g = graph_->is_temporary ? *std::apply([](const auto&... x) { return typed_layer::graph_of(x...); }, made)
                                    : *graph_;
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      const term terms[] = {typed_layer::term_in(g, std::get<I>(made))...};
      array_list<term> newest;
      for (const term& t : newest_) newest.push_back(t.owner == &g ? t : imported(g, t));
      const extent_code iterations = iterations_in(g);
      carried_variables variables(g, loop_in(g, *graph_, loop_), iterations);
      for (int i = 0; i < newest.size(); ++i) variables.add(newest[i], with_extents(terms[i], newest[i]));
      const std::tuple every{result<I, typename R::expression>(variables, terms[I])...};
      if constexpr (sizeof...(R) == 1) return std::get<0>(every);
      else return every;
    }
    (std::index_sequence_for<R...>());
  }

 private:
  const sequence_list<S...>& sequences_;
  const carried_list<C...>& carried_;
  const Steps& steps_;
  scan_options options_;
  graph* graph_;
  int loop_ = 0;
  array_list<term> newest_;  // of each carried variable: its value in the iteration before

  /// The number of iterations: of the shortest sequence, unless it was given.
  constexpr extent_code iterations_in(graph& g) const {
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
  /// The expression of the number of iterations, if there is one.
  template <class Other>
  static constexpr std::tuple<> count_of(const Other&) {
    return {};
  }
  template <class N>
  static constexpr std::tuple<tapped<N>> count_of(const given_steps<N>& steps) {
    return {{steps.count}};
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
  constexpr auto rows_of_sequences(std::index_sequence<I...>, [[maybe_unused]] extent_code iterations) {
    return std::tuple_cat(rows_of_sequence(std::get<I>(sequences_.items), iterations)...);
  }
  template <class X>
  constexpr auto rows_of_sequence(const X& sequence, extent_code iterations) {
    using rule = sequence_rule<X>;
    const term all = typed_layer::term_in(*graph_, sequence.x);
    const auto row = [&](std::size_t i) {
      extent_table& extents = graph_->extents;
      const extent_code first = rule::taps[i] - rule::least, last = extents.add(extents.subtract(iterations, 1), first);
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
    term initial = typed_layer::term_in(*graph_, carried.x);
    if constexpr (!rule::has_taps) initial = reshape_term(initial, with_ones(initial.extents(), 1));
    const auto value = [&](int back) { return loop_carried_term(initial, {loop_, Number, back, rule::kept}); };
    newest_.push_back(value(1));
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<std::conditional_t<(I >= 0), typename rule::value, void>...>{
          typename rule::value(value(-rule::taps[I]))...};
    }
    (std::make_index_sequence<rule::count>());
  }

  /// A new value, whose extents must be those of the variable.
  static constexpr term with_extents(term next, term carried) {
    extent_table& extents = next.owner->extents;
    for (int axis = 0; axis < next.rank(); ++axis) extents.unify(carried.extents()[axis], next.extents()[axis], "scan");
    return next;
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
    scan_recording<sequences_type, carried_type, steps_type> recording(
        sequences, carried, steps, first_of<is_options<Items>..., true>(items..., scan_options()));
    const auto arguments = recording.arguments();
    const auto returned = recording.call(body, arguments);
    using returned_type = std::remove_cvref_t<decltype(returned)>;
    constexpr complaint of_body = body_problem<carried_type, returned_type>;
    if constexpr (of_body != complaint::none) {
      reject<of_body, functions::scan, carried_type, returned_type>();
      return loop_value<refused_expression, refused_expression>();
    } else {
      return recording.results(body_values<returned_type>::of(returned));
    }
  }
}

}  // namespace kroton
