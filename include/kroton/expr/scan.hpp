// This header has loops: kt::scan, whose body is recorded once and runs for each row of its sequences.
//
//     auto h = kt::scan([&](auto x, auto h) { return kt::tanh(kt::dot(x, W) + kt::dot(h, U)); },
//                       kt::sequences(x), kt::carried(h0));
//     h.all   // (n, batch, 64): h of each iteration
//     h.last  // (batch, 64): h after the last one
#pragma once

#include <kroton/expr/scan_recording.hpp>

namespace kroton {

namespace typed {
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
/// The graph that a body meets: that of what it returns.
template <class Returned>
constexpr graph& graph_met(graph& own, const Returned& returned) {
  using values = scan_values<Returned>;
  graph* met = nullptr;
  if constexpr (values::are_expressions)
    met = std::apply([](const auto&... x) { return typed_layer::graph_of(x...); }, values::of(returned));
  return met == nullptr ? own : *met;
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
/// Behind its values, a body may return updates of shared variables, `std::tuple{h, kt::update(W, W + h)}` or
/// `kt::updates(...)` of several or of an optimiser's. In the body, the variables and what is computed from them are
/// those of the iteration; the results have at the same place what goes to `kt::outputs(...).updates(...)`.
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
  const sequence_list<> no_sequences{};
  const carried_list<> none_carried{};
  const no_steps all_rows{};
  const auto& sequences = first_of<is_sequences<Items>..., true>(items..., no_sequences);
  const auto& carried = first_of<is_carried<Items>..., true>(items..., none_carried);
  const auto& steps = first_of<is_steps<Items>..., true>(items..., all_rows);
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
    using given_type = decltype(recording_type(sequences, carried, steps, options, *g).given());
    if constexpr (!takes<Body, given_type>) {
      recording_type(sequences, carried, steps, options, *g).given();
      reject<complaint::loop_parameters, functions::scan, given_type>();
      return loop_value<refused_expression, refused_expression>();
    } else {
      using returned_type =
          std::remove_cvref_t<decltype(recording_type(sequences, carried, steps, options, *g).returned_by(body))>;
      constexpr complaint of_body = body_problem<carried_type, returned_type>;
      if constexpr (of_body != complaint::none) {
        recording_type(sequences, carried, steps, options, *g).returned_by(body);
        reject<of_body, functions::scan, carried_type, returned_type>();
        return refused_values<returned_type>::make();
      } else {
        // numbers alone do not know the graph that the body meets, in which the loop is to be, and so it is called
        // twice
        if (g->is_temporary)
          g = &graph_met(*g, recording_type(sequences, carried, steps, options, *g).returned_by(body));
        return recording_type(sequences, carried, steps, options, *g).template results<returned_type>(body);
      }
    }
  }
}

}  // namespace kroton
